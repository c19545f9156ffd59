package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func grafana() Integration {
	return Integration{
		Name: "grafana", Display: "Grafana", DoubleEscaped: true,
		Events: []string{"alerting", "firing", "no_data", "ok", "paused", "pending", "resolved"},
		Verify: verifyHMAC("", "X-Grafana-Alerting-Signature"),
		Format: func(r Request) (Message, error) {
			var p struct {
				alerts
				Title   string `json:"title"`
				Message string `json:"message"`
				// Sent by alerting before version 9.
				RuleName string `json:"ruleName"`
				RuleURL  string `json:"ruleUrl"`
				State    string `json:"state"`
				ImageURL string `json:"imageUrl"`
				Matches  []struct {
					Metric string `json:"metric"`
					Value  string `json:"value"` // a number, "NaN" or null
				} `json:"evalMatches"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if len(p.Alerts) > 0 {
				return p.grafana(p.Title), nil
			}
			if p.RuleName == "" && p.Title == "" && strings.TrimSpace(p.Message) == "" {
				return Message{}, anomalous("alerts")
			}
			p.State = cmp.Or(p.State, p.Status)
			var b strings.Builder
			fmt.Fprintf(&b, "**%s** %s",
				strings.ToUpper(title(cmp.Or(p.State, "alert"))), link(cmp.Or(p.Title, p.RuleName, "alert"), p.RuleURL))
			if text := strings.TrimSpace(p.Message); text != "" {
				b.WriteString("\n\n" + truncate(text, maxQuote))
			}
			var lines []string
			for _, m := range p.Matches {
				lines = append(lines, fmt.Sprintf("**%s:** %s", title(m.Metric), cmp.Or(title(m.Value), "no value")))
			}
			b.WriteString(list(lines, 20))
			if p.ImageURL != "" {
				b.WriteString("\n\n" + link("Image", p.ImageURL))
			}
			return Message{Event: p.State, Topic: line(cmp.Or(p.RuleName, p.Title, "alerts")), Content: b.String()}, nil
		},
	}
}

func (p alerts) grafana(heading string) Message {
	var b strings.Builder
	for i, a := range p.Alerts {
		if i == 20 {
			fmt.Fprintf(&b, "\n\nand %d more", len(p.Alerts)-i)
			break
		}
		emoji := ":alert:"
		if a.Status == "resolved" {
			emoji = ":squared_ok:"
		}
		fmt.Fprintf(
			&b,
			"\n\n%s **%s** %s",
			emoji,
			strings.ToUpper(title(a.Status)),
			link(cmp.Or(a.Labels["alertname"], "alert"), a.GeneratorURL),
		)
		if text := a.describe([]string{"summary", "description"}, "alertname"); text != "alert" {
			b.WriteString("\n" + truncate(text, 1000))
		}
		if values := cmp.Or(a.Values, a.readings()); values != "" {
			b.WriteString("\nValues: " + code(truncate(values, 500)))
		}
		for _, l := range []struct{ name, url string }{{"Silence", a.SilenceURL}, {"Panel", a.PanelURL},
			{"Dashboard", a.DashboardURL}, {"Image", a.ImageURL}} {
			if l.url != "" {
				b.WriteString("\n" + link(l.name, l.url))
			}
		}
	}
	topic := cmp.Or(
		line(p.CommonLabels["alertname"]),
		line(p.GroupLabels["alertname"]),
		line(p.Alerts[0].Labels["alertname"]),
		line(heading),
		"alerts",
	)
	return Message{Event: p.Status, Topic: topic, Content: strings.TrimSpace(b.String())}
}

// readings returns the values of an alert's expressions by name.
func (a alert) readings() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.Readings)) {
		all = append(all, line(name)+"="+line(a.Readings[name]))
	}
	return strings.Join(all, ", ")
}
