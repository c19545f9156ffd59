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

type pdEvent struct {
	Type  string       `json:"event_type"`
	Agent *pdReference `json:"agent"`
	Data  struct {
		Type      string        `json:"type"`
		Number    int           `json:"number"`
		Title     string        `json:"title"`
		Summary   string        `json:"summary"` // of services
		URL       string        `json:"html_url"`
		Service   pdReference   `json:"service"`
		Priority  pdReference   `json:"priority"`
		Assignees []pdReference `json:"assignees"`
		Incident  pdReference   `json:"incident"` // of notes, responders and other parts
		User      pdReference   `json:"user"`
		Workflow  pdReference   `json:"incident_workflow"`
		Content   string        `json:"content"` // of notes
		Message   string        `json:"message"` // of pings, responders and status updates
	} `json:"data"`
}

// pdVerbs holds the verbs of events whose names do not contain them.
var pdVerbs = map[string]string{
	"incident.priority_updated": "changed priority", "incident.responder.added": "added a responder",
	"incident.responder.replied": "responder replied", "incident.status_update_published": "published a status update",
	"incident.conference_bridge.updated": "updated the conference bridge",
}

func pagerduty() Integration {
	return Integration{
		Name: "pagerduty", Display: "PagerDuty",
		Events: []string{
			"incident.acknowledged", "incident.annotated", "incident.conference_bridge.updated",
			"incident.custom_field_values.updated", "incident.delegated", "incident.escalated",
			"incident.incident_type.changed", "incident.priority_updated", "incident.reassigned", "incident.reopened",
			"incident.resolved", "incident.responder.added", "incident.responder.replied", "incident.role.assigned",
			"incident.role.unassigned", "incident.service_updated", "incident.status_update_published",
			"incident.triggered", "incident.unacknowledged", "incident.workflow.completed", "incident.workflow.started",
			"pagey.ping", "service.created", "service.custom_field_values.updated", "service.deleted", "service.updated",
		},
		Verify: verifyHMAC("v1=", "X-PagerDuty-Signature"),
		Format: func(r Request) (Message, error) {
			var p struct {
				Event *pdEvent `json:"event"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Event == nil || p.Event.Type == "" && p.Event.Data.Title == "" {
				return Message{}, anomalous("event")
			}
			text, topic := p.Event.text()
			if text == "" {
				return Message{}, UnsupportedError{p.Event.Type}
			}
			return Message{Event: p.Event.Type, Topic: truncate(cmp.Or(line(topic), "incidents"), 60), Content: text}, nil
		},
	}
}

// text returns the message for an event and its topic, or "" if the event describes nothing.
func (e *pdEvent) text() (text, topic string) {
	d, by := e.Data, ""
	if e.Agent != nil && e.Agent.Summary != "" {
		by = " by " + link(e.Agent.Summary, e.Agent.URL)
	}
	of, verb, _ := strings.Cut(e.Type, ".")
	verb = cmp.Or(pdVerbs[e.Type], strings.NewReplacer(".", " ", "_", " ").Replace(line(verb)))
	switch {
	case e.Type == "pagey.ping":
		return cmp.Or(title(d.Message), "The webhook has been configured."), "PagerDuty"
	case e.Type == "incident.annotated":
		return fmt.Sprintf("Note on %s.%s", link(cmp.Or(d.Incident.Summary, "an incident"), d.Incident.URL),
			quote(cmp.Or(d.Content, d.Summary))), d.Incident.Summary
	case d.Incident.Summary != "": // about a part of an incident, such as a responder
		text = fmt.Sprintf("Incident %s: %s%s.", link(d.Incident.Summary, d.Incident.URL), verb, by)
		for _, part := range []pdReference{d.User, d.Workflow} {
			if part.Summary != "" {
				text += "\n" + link(part.Summary, part.URL)
			}
		}
		return text + quote(d.Message), d.Incident.Summary
	case of == "service" && d.Summary != "":
		return fmt.Sprintf("Service %s %s%s.", link(d.Summary, d.URL), verb, by), d.Summary
	case d.Title == "" && d.URL == "":
		return "", ""
	}
	verb = cmp.Or(verb, line(of), "changed")
	text = fmt.Sprintf("Incident %s %s", link(fmt.Sprintf("#%d %s", d.Number, d.Title), d.URL), verb)
	if e.Type == "incident.priority_updated" && d.Priority.Summary != "" {
		text += " to " + title(d.Priority.Summary)
	}
	text += by + "."
	var assignees []string
	for _, a := range d.Assignees[:min(len(d.Assignees), maxNames)] {
		assignees = append(assignees, link(a.Summary, a.URL))
	}
	if len(assignees) > 0 {
		text += "\nAssigned to " + strings.Join(assignees, ", ") + "."
	}
	if d.Service.Summary != "" {
		text += "\nService: " + link(d.Service.Summary, d.Service.URL) + "."
	}
	return text, d.Title
}
