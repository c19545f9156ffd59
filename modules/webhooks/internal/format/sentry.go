package format

import (
	"cmp"
	"fmt"
	"strings"
)

type sentryIssue struct {
	Title    string `json:"title"`
	Message  string `json:"message"`
	Metadata struct {
		Title string `json:"title"`
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"metadata"`
	Culprit string `json:"culprit"`
	Level   string `json:"level"`
	WebURL  string `json:"web_url"`
	Link    string `json:"permalink"`
	ShortID string `json:"shortId"`
	Project any    `json:"project"` // a number, a name, or an object with a name
}

func (i sentryIssue) project() string {
	switch p := i.Project.(type) {
	case string:
		return line(p)
	case map[string]any:
		for _, key := range []string{"name", "slug"} {
			if name, ok := p[key].(string); ok {
				return line(name)
			}
		}
	}
	return ""
}

// heading returns the title of an issue, or what else describes it.
func (i sentryIssue) heading() string {
	m := i.Metadata
	described := strings.Trim(line(m.Type)+": "+line(m.Value), ": ")
	return cmp.Or(line(i.Title), line(m.Title), described, line(i.Message), line(i.Culprit))
}

func sentry() Integration {
	return Integration{
		Name: "sentry", Display: "Sentry", DoubleEscaped: true,
		Events: []string{"comment", "error", "event_alert", "issue", "metric_alert"},
		Verify: verifyHMAC("", "Sentry-Hook-Signature"),
		Format: func(r Request) (Message, error) {
			resource := r.Headers["Sentry-Hook-Resource"]
			var p struct {
				Action string `json:"action"`
				Actor  struct {
					Name string `json:"name"`
				} `json:"actor"`
				Data *struct {
					Issue       *sentryIssue `json:"issue"`
					Event       *sentryIssue `json:"event"`
					Error       *sentryIssue `json:"error"`
					Rule        string       `json:"triggered_rule"`
					Title       string       `json:"description_title"`
					Description string       `json:"description_text"`
					WebURL      string       `json:"web_url"`
					Comment     string       `json:"comment"`
				} `json:"data"`
				// Sent by the older plugin.
				Project string      `json:"project_name"`
				Slug    string      `json:"project_slug"`
				InShort string      `json:"project"`
				Message string      `json:"message"`
				Culprit string      `json:"culprit"`
				Level   string      `json:"level"`
				URL     string      `json:"url"`
				Event   sentryIssue `json:"event"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if project := cmp.Or(p.Project, p.Slug, p.InShort); p.Data == nil && project != "" {
				i := sentryIssue{Title: cmp.Or(line(p.Message), p.Event.heading()), Culprit: cmp.Or(p.Culprit, p.Event.Culprit),
					Level: cmp.Or(p.Level, p.Event.Level), WebURL: cmp.Or(p.URL, p.Event.WebURL), Project: project}
				return i.message("error", "New issue", ""), nil
			}
			if p.Data == nil {
				return Message{}, anomalous("data")
			}
			d, by := p.Data, ""
			if p.Actor.Name != "" && p.Actor.Name != "Sentry" {
				by = " by " + line(p.Actor.Name)
			}
			switch {
			case resource == "issue" && d.Issue != nil:
				verb := map[string]string{"created": "New issue", "resolved": "Resolved", "assigned": "Assigned",
					"archived": "Archived", "ignored": "Archived", "unresolved": "Unresolved"}[p.Action]
				verb = cmp.Or(verb, "Issue "+cmp.Or(title(strings.ReplaceAll(p.Action, "_", " ")), "changed"))
				return d.Issue.message("issue", verb, by), nil
			case resource == "event_alert" && d.Event != nil:
				heading := "Alert"
				if d.Rule != "" {
					heading += " " + code(d.Rule)
				}
				return d.Event.message("event_alert", heading, ""), nil
			case resource == "error" && d.Error != nil:
				return d.Error.message("error", "New error", ""), nil
			case resource == "metric_alert":
				return Message{Event: "metric_alert", Topic: cmp.Or(line(d.Title), "alerts"), Content: fmt.Sprintf("**%s** %s%s",
					strings.ToUpper(title(p.Action)), link(cmp.Or(d.Title, "Metric alert"), d.WebURL), quote(d.Description))}, nil
			case resource == "comment" && d.Comment != "":
				return Message{
					Event:   "comment",
					Topic:   "comments",
					Content: fmt.Sprintf("Comment %s%s.%s", title(p.Action), by, quote(d.Comment)),
				}, nil
			case d.Event != nil:
				return d.Event.message("event_alert", "Alert", ""), nil
			case d.Issue != nil:
				return d.Issue.message("issue", "Issue "+title(p.Action), by), nil
			case d.Error != nil:
				return d.Error.message("error", "New error", ""), nil
			case resource == "" || resource == "issue" || resource == "event_alert" || resource == "error" ||
				resource == "comment":
				return Message{}, anomalous("data." + cmp.Or(resource, "event"))
			}
			return Message{}, UnsupportedError{resource}
		},
	}
}

func (i sentryIssue) message(event, verb, by string) Message {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s%s:** %s", verb, by, link(cmp.Or(i.heading(), "Untitled"), cmp.Or(i.WebURL, i.Link)))
	if i.Culprit != "" {
		b.WriteString("\nWhere: " + code(truncate(i.Culprit, 300)))
	}
	if i.Level != "" {
		b.WriteString("\nLevel: " + title(i.Level))
	}
	return Message{Event: event, Topic: truncate(cmp.Or(i.project(), i.heading(), "sentry"), 60), Content: b.String()}
}
