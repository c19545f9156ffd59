package format

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

type jiraUser struct {
	Name string `json:"displayName"`
}

type jiraNamed struct {
	Name string `json:"name"`
}

func jira() Integration {
	return Integration{
		Name: "jira", Display: "Jira",
		Events: []string{
			"comment_created", "comment_deleted", "comment_updated", "jira:issue_created", "jira:issue_deleted",
			"jira:issue_updated",
		},
		Verify: verifyHMAC("sha256=", "X-Hub-Signature"),
		Format: func(r Request) (Message, error) {
			var p struct {
				Event string   `json:"webhookEvent"`
				User  jiraUser `json:"user"`
				Issue *struct {
					Key    string `json:"key"`
					Self   string `json:"self"`
					Fields struct {
						Summary  string    `json:"summary"`
						Status   jiraNamed `json:"status"`
						Priority jiraNamed `json:"priority"`
						Assignee jiraUser  `json:"assignee"`
					} `json:"fields"`
				} `json:"issue"`
				Comment *struct {
					Body   any      `json:"body"` // text, or a document in newer versions
					Author jiraUser `json:"author"`
					Update jiraUser `json:"updateAuthor"`
				} `json:"comment"`
				Changes struct {
					Items []struct {
						Field string `json:"field"`
						From  string `json:"fromString"`
						To    string `json:"toString"`
					} `json:"items"`
				} `json:"changelog"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Event == "" {
				return Message{}, anomalous("webhookEvent")
			}
			if p.Issue == nil {
				return Message{}, UnsupportedError{p.Event}
			}
			i, actor := p.Issue, cmp.Or(line(p.User.Name), "Somebody")
			issue := link(i.Key+" "+i.Fields.Summary, jiraURL(i.Self, i.Key))
			m := Message{Event: p.Event, Topic: truncate(line(i.Key+": "+i.Fields.Summary), 60)}
			var comment string
			if p.Comment != nil {
				comment, _ = p.Comment.Body.(string)
				actor = cmp.Or(line(p.Comment.Update.Name), line(p.Comment.Author.Name), actor)
			}
			switch p.Event {
			case "jira:issue_created":
				m.Content = fmt.Sprintf(
					"%s created %s%s",
					actor,
					issue,
					list(jiraFields("Priority", i.Fields.Priority.Name, "Assignee", i.Fields.Assignee.Name), 5),
				)
			case "jira:issue_deleted":
				m.Content = fmt.Sprintf("%s deleted %s.", actor, issue)
			case "jira:issue_updated":
				var lines []string
				for _, c := range p.Changes.Items {
					lines = append(lines, fmt.Sprintf("%s: %s → %s", title(c.Field), jiraValue(c.From), jiraValue(c.To)))
				}
				if len(lines) == 0 && comment == "" {
					return m, nil
				}
				m.Content = fmt.Sprintf("%s updated %s%s%s", actor, issue, list(lines, 20), quote(comment))
			case "comment_created":
				m.Content = fmt.Sprintf("%s commented on %s.%s", actor, issue, quote(comment))
			case "comment_updated":
				m.Content = fmt.Sprintf("%s edited a comment on %s.%s", actor, issue, quote(comment))
			case "comment_deleted":
				m.Content = fmt.Sprintf("%s deleted a comment on %s.", actor, issue)
			default:
				return Message{}, UnsupportedError{p.Event}
			}
			return m, nil
		},
	}
}

// jiraURL converts an API URL to the URL of the page.
func jiraURL(self, key string) string {
	u, err := url.Parse(self)
	if err != nil || u.Host == "" {
		return ""
	}
	base, _, _ := strings.Cut(u.Path, "/rest/")
	u.Path, u.RawQuery, u.Fragment = base+"/browse/"+key, "", ""
	return u.String()
}

// jiraValue formats the former or new value of a changed field.
func jiraValue(text string) string {
	if text == "" {
		return "none"
	}
	return code(truncate(text, 100))
}

func jiraFields(pairs ...string) []string {
	var lines []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			lines = append(lines, pairs[i]+": "+title(pairs[i+1]))
		}
	}
	return lines
}
