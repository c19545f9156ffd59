package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/stoachat/stoa/app/internal/clock"
	"github.com/stoachat/stoa/app/internal/load"
)

type loads struct {
	Scenario     string  `arg:"" enum:"send,mix,storm,morning" placeholder:"SCENARIO" help:"send, mix, storm or morning."`
	RC           string  `arg:"" name:"rc" placeholder:"FILE" help:"File with the address, email and API key of an owner, as the client offers for programs."`
	Users        int     `default:"100" placeholder:"N" help:"People who poll for events."`
	Channels     int     `default:"5" placeholder:"N" help:"Channels to which all of them are subscribed."`
	Rate         float64 `default:"10" placeholder:"N" help:"Messages a second."`
	Messages     int     `default:"600" placeholder:"N" help:"Messages in all."`
	People       string  `placeholder:"FILE" help:"Keep the people and their keys here, for further runs."`
	Metrics      string  `placeholder:"URL" help:"Address of the server's metrics, to measure CPU and memory."`
	MetricsToken string  `env:"STOA_METRICS_TOKEN" placeholder:"TOKEN" help:"Token of the metrics (also STOA_METRICS_TOKEN)."`
	JSON         bool    `name:"json" help:"Print the result as JSON."`
}

// Help returns the long text of --help.
func (loads) Help() string {
	var b strings.Builder
	b.WriteString(`Generates load for a server, to find out how many people a machine carries. It creates channels and
people in the organization, so use one that you can throw away, and set http.rate_limits.enabled to false
there.

Scenarios:
`)
	for _, s := range load.Scenarios {
		fmt.Fprintf(&b, "  %-8s %s\n", s[0], s[1])
	}
	b.WriteString(`
Requests begin at fixed times, whether or not earlier ones have ended, and their latency counts from then: a
server that stops for a second is charged for all that came in during it. "deliver" is from the time at which
a message was to be sent until somebody has received it; everybody is to receive every message.

Run it on another machine than the server, or on other cores, since it needs as much CPU as the server.`)
	return b.String()
}

// Run generates the load and prints what it has measured.
func (c *loads) Run(e *env) error {
	o := load.Options{
		Scenario: c.Scenario, Users: c.Users, Channels: c.Channels, Rate: c.Rate, Messages: c.Messages, People: c.People,
		Metrics: c.Metrics, Token: c.MetricsToken, Clock: clock.System{},
		Progress: func(text string) { _, _ = fmt.Fprintln(e.Err, text) },
	}
	if o.Users < 1 || o.Channels < 1 || o.Messages < 1 || o.Rate <= 0 {
		return codedError{fmt.Errorf("--users, --channels, --messages and --rate must be positive"), usage}
	}
	if err := readRC(c.RC, &o); err != nil {
		return err
	}
	defer e.cancelOnSignal()()
	report, err := load.Run(e.ctx, o)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(e.Out).Encode(report)
	}
	_, err = fmt.Fprint(e.Out, report)
	return err
}

// readRC reads the file that the client offers for programs: lines of email=, key= and site=.
func readRC(name string, o *load.Options) error {
	f, err := os.Open(name) //nolint:gosec // named by the operator
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch value = strings.TrimSpace(value); strings.TrimSpace(key) {
		case "email":
			o.Email = value
		case "key":
			o.Key = value
		case "site":
			o.Site = strings.TrimSuffix(value, "/")
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if o.Email == "" || o.Key == "" || o.Site == "" {
		return fmt.Errorf("%s must have lines with email=, key= and site=", name)
	}
	return nil
}
