package format

import (
	"cmp"
	"fmt"
	"strings"
)

type kumaPayload struct {
	Heartbeat *struct {
		Status *int   `json:"status"`
		Msg    string `json:"msg"`
		Time   string `json:"time"`
	} `json:"heartbeat"`
	Monitor *struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"monitor"`
	Msg *string `json:"msg"`
}

// text returns the text of the payload.
func (p *kumaPayload) text() string {
	text := ""
	if p.Msg != nil {
		text = *p.Msg
	}
	if p.Heartbeat != nil {
		text = cmp.Or(text, p.Heartbeat.Msg)
	}
	return truncate(strings.TrimSpace(text), maxQuote)
}

func uptimeKuma() Integration {
	return Integration{
		Name: "uptimekuma", Display: "Uptime Kuma", Events: []string{"down", "maintenance", "pending", "test", "up"},
		DoubleEscaped: true,
		Format: func(r Request) (Message, error) {
			var p kumaPayload
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			switch {
			case p.Msg == nil && p.Heartbeat == nil:
				return Message{}, anomalous("msg")
			case p.Heartbeat == nil || p.Monitor == nil || p.Heartbeat.Status == nil:
				text := p.text()
				if text == "" {
					return Message{}, anomalous("msg")
				}
				return Message{Event: "test", Topic: "Uptime Kuma", Content: text}, nil
			}
			states := []struct{ event, emoji, text string }{
				{"down", ":cross_mark:", "is down"}, {"up", ":check:", "is up"}, {"pending", ":time_ticking:", "is pending"},
				{"maintenance", ":working_on_it:", "is under maintenance"},
			}
			n := *p.Heartbeat.Status
			if n < 0 || n >= len(states) {
				event := fmt.Sprintf("status %d", n)
				if text := p.text(); text != "" {
					return Message{Event: event, Topic: cmp.Or(line(p.Monitor.Name), "Uptime Kuma"), Content: text}, nil
				}
				return Message{}, UnsupportedError{event}
			}
			s := states[n]
			return Message{
				Event: s.event,
				Topic: cmp.Or(line(p.Monitor.Name), "Uptime Kuma"),
				Content: fmt.Sprintf("%s %s %s.%s", s.emoji,
					link(cmp.Or(p.Monitor.Name, "Monitor"), p.Monitor.URL), s.text, quote(p.Heartbeat.Msg)),
			}, nil
		},
	}
}
