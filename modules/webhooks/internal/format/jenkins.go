package format

import (
	"cmp"
	"fmt"
	"strings"
)

// jenkins formats requests from the Notification plugin.
func jenkins() Integration {
	return Integration{
		Name: "jenkins", Display: "Jenkins", Events: []string{"completed", "finalized", "queued", "started"},
		Format: func(r Request) (Message, error) {
			var p struct {
				Name    string `json:"name"`
				Display string `json:"display_name"`
				Build   *struct {
					URL    string `json:"full_url"`
					Number int    `json:"number"`
					Phase  string `json:"phase"`
					Status string `json:"status"`
					SCM    struct {
						Branch string `json:"branch"`
						Commit string `json:"commit"`
					} `json:"scm"`
				} `json:"build"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Build == nil || p.Build.Phase == "" && p.Build.Status == "" {
				return Message{}, anomalous("build")
			}
			b := p.Build
			job := cmp.Or(p.Display, p.Name, "Jenkins")
			name := link(fmt.Sprintf("%s #%d", job, b.Number), b.URL)
			m := Message{Event: strings.ToLower(cmp.Or(b.Phase, "finalized")), Topic: truncate(line(job), 60)}
			switch m.Event {
			case "queued", "started":
				m.Content = fmt.Sprintf(
					"Build %s has %s.",
					name,
					map[string]string{"queued": "been queued", "started": "started"}[m.Event],
				)
			case "completed":
				return m, ErrSkip // finalized follows with the same result
			case "finalized":
				emoji := map[string]string{"SUCCESS": ":check:", "FAILURE": ":cross_mark:", "UNSTABLE": ":warning:"}[b.Status]
				m.Content = strings.TrimSpace(
					fmt.Sprintf("%s Build %s: %s.", emoji, name, strings.ToLower(title(cmp.Or(b.Status, "finished")))),
				)
				if b.SCM.Branch != "" {
					m.Content += fmt.Sprintf("\nBranch %s", code(b.SCM.Branch))
					if b.SCM.Commit != "" {
						m.Content += ", commit " + code(b.SCM.Commit[:min(len(b.SCM.Commit), 11)])
					}
				}
			default:
				if b.Status == "" {
					return Message{}, UnsupportedError{m.Event}
				}
				m.Content = fmt.Sprintf("Build %s: %s, %s.", name, title(m.Event), strings.ToLower(title(b.Status)))
			}
			return m, nil
		},
	}
}
