package format

import (
	"cmp"
	"fmt"
	"strings"
)

type pdReference struct {
	Summary string `json:"summary"`
	URL     string `json:"html_url"`
}

func pagerduty() Integration {
	events := map[string]string{
		"incident.acknowledged": "acknowledged", "incident.delegated": "delegated", "incident.escalated": "escalated",
		"incident.priority_updated": "changed priority", "incident.reassigned": "reassigned", "incident.reopened": "reopened",
		"incident.resolved": "resolved", "incident.triggered": "triggered", "incident.unacknowledged": "unacknowledged",
	}
	return Integration{
		Name: "pagerduty", Display: "PagerDuty",
		Events: []string{
			"incident.acknowledged", "incident.annotated", "incident.delegated", "incident.escalated",
			"incident.priority_updated", "incident.reassigned", "incident.reopened", "incident.resolved",
			"incident.triggered", "incident.unacknowledged", "pagey.ping",
		},
		Verify: verifyHMAC("v1=", "X-PagerDuty-Signature"),
		Format: func(r Request) (Message, error) {
			var p struct {
				Event *struct {
					Type  string       `json:"event_type"`
					Agent *pdReference `json:"agent"`
					Data  struct {
						Type      string        `json:"type"`
						Number    int           `json:"number"`
						Title     string        `json:"title"`
						URL       string        `json:"html_url"`
						Service   pdReference   `json:"service"`
						Assignees []pdReference `json:"assignees"`
						Incident  pdReference   `json:"incident"` // of notes
						Content   string        `json:"content"`  // of notes
						Message   string        `json:"message"`  // of pings
					} `json:"data"`
				} `json:"event"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Event == nil || p.Event.Type == "" {
				return Message{}, anomalous("event")
			}
			e, d := p.Event, p.Event.Data
			switch verb := events[e.Type]; {
			case e.Type == "pagey.ping":
				return Message{
					Event:   e.Type,
					Topic:   "PagerDuty",
					Content: cmp.Or(title(d.Message), "The webhook has been configured."),
				}, nil
			case e.Type == "incident.annotated":
				return Message{
					Event: e.Type,
					Topic: truncate(cmp.Or(line(d.Incident.Summary), "incidents"), 60),
					Content: fmt.Sprintf("Note on %s.%s",
						link(cmp.Or(d.Incident.Summary, "an incident"), d.Incident.URL), quote(d.Content)),
				}, nil
			case verb == "":
				return Message{}, UnsupportedError{e.Type}
			case d.Title == "" && d.URL == "":
				return Message{}, anomalous("event.data")
			default:
				text := fmt.Sprintf("Incident %s %s", link(fmt.Sprintf("#%d %s", d.Number, d.Title), d.URL), verb)
				if e.Agent != nil && e.Agent.Summary != "" {
					text += " by " + link(e.Agent.Summary, e.Agent.URL)
				}
				text += "."
				var assignees []string
				for _, a := range d.Assignees {
					assignees = append(assignees, link(a.Summary, a.URL))
				}
				if len(assignees) > 0 {
					text += "\nAssigned to " + strings.Join(assignees, ", ") + "."
				}
				if d.Service.Summary != "" {
					text += "\nService: " + link(d.Service.Summary, d.Service.URL) + "."
				}
				return Message{Event: e.Type, Topic: truncate(cmp.Or(line(d.Title), "incidents"), 60), Content: text}, nil
			}
		},
	}
}
