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

type jiraPayload struct {
	Event string   `json:"webhookEvent"`
	Type  string   `json:"issue_event_type_name"` // what an update of an issue is about
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
	Comment *jiraComment `json:"comment"`
	Worklog *struct {
		jiraComment
		Comment adfNode `json:"comment"`
		Spent   string  `json:"timeSpent"`
	} `json:"worklog"`
	Attachment *struct {
		Name string `json:"filename"`
		URL  string `json:"content"`
	} `json:"attachment"`
	Version jiraNamed `json:"version"`
	Sprint  jiraNamed `json:"sprint"`
	Project jiraNamed `json:"project"`
	Board   jiraNamed `json:"board"`
	Changes struct {
		Items []struct {
			Field string `json:"field"`
			From  string `json:"fromString"`
			To    string `json:"toString"`
		} `json:"items"`
	} `json:"changelog"`
}

type jiraComment struct {
	Body   adfNode  `json:"body"`
	Author jiraUser `json:"author"`
	Update jiraUser `json:"updateAuthor"`
}

func jira() Integration {
	return Integration{
		Name: "jira", Display: "Jira",
		Events: []string{
			"attachment_created", "attachment_deleted", "board_created", "board_deleted", "board_updated", "comment_created",
			"comment_deleted", "comment_updated", "jira:issue_created", "jira:issue_deleted", "jira:issue_updated",
			"jira:version_created", "jira:version_deleted", "jira:version_released", "jira:version_unreleased",
			"jira:version_updated", "project_created", "project_deleted", "project_updated", "sprint_closed", "sprint_created",
			"sprint_deleted", "sprint_started", "sprint_updated", "worklog_created", "worklog_deleted", "worklog_updated",
		},
		Verify: verifyHMAC("sha256=", "X-Hub-Signature"),
		Format: func(r Request) (Message, error) {
			var p jiraPayload
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Event == "" && p.Issue == nil {
				return Message{}, anomalous("webhookEvent")
			}
			p.Event = cmp.Or(p.Event, "jira:issue_updated")
			text := p.text()
			if text == "" {
				return Message{}, UnsupportedError{p.Event}
			}
			return Message{Event: p.Event, Topic: p.topic(), Content: text}, nil
		},
	}
}

// topic returns the issue, or else the object that the event is about.
func (p *jiraPayload) topic() string {
	if p.Issue != nil {
		return truncate(line(p.Issue.Key+": "+p.Issue.Fields.Summary), 60)
	}
	_, name, kind := p.object()
	return truncate(strings.TrimSpace(cmp.Or(kind, "Jira")+" "+line(name)), 60)
}

// actor returns who caused the event.
func (p *jiraPayload) actor() string {
	by := line(p.User.Name)
	if c := p.Comment; c != nil {
		by = cmp.Or(line(c.Update.Name), line(c.Author.Name), by)
	} else if w := p.Worklog; w != nil {
		by = cmp.Or(line(w.Update.Name), line(w.Author.Name), by)
	}
	return cmp.Or(by, "Somebody")
}

// object splits the name of an event, such as jira:version_released, into the verb, and the name and kind of its object
// if that is not an issue.
func (p *jiraPayload) object() (verb, name, kind string) {
	kind, verb, _ = strings.Cut(strings.TrimPrefix(p.Event, "jira:"), "_")
	names := map[string]jiraNamed{"version": p.Version, "sprint": p.Sprint, "project": p.Project, "board": p.Board}
	return strings.ReplaceAll(line(verb), "_", " "), names[kind].Name, kind
}

func (p *jiraPayload) text() string {
	issue, comment := "an issue", ""
	if i := p.Issue; i != nil {
		issue = link(i.Key+" "+i.Fields.Summary, jiraURL(i.Self, i.Key))
	}
	if p.Comment != nil {
		comment = quote(p.Comment.Body.markdown())
	}
	verb, name, kind := p.object()
	event, actor := p.Event, p.actor()
	var lines []string
	for _, c := range p.Changes.Items {
		lines = append(lines, fmt.Sprintf("%s: %s → %s", title(c.Field), fieldValue(c.From), fieldValue(c.To)))
	}
	if event == "jira:issue_updated" && len(lines) == 0 { // it may be about a comment
		event = cmp.Or(map[string]string{"issue_commented": "comment_created", "issue_comment_edited": "comment_updated",
			"issue_comment_deleted": "comment_deleted"}[p.Type], event)
	}
	switch {
	case (kind == "issue" || kind == "comment") && p.Issue == nil && p.Comment == nil && p.User.Name == "":
		return ""
	case event == "jira:issue_created" && p.Issue != nil:
		f := p.Issue.Fields
		return fmt.Sprintf("%s created %s%s", actor, issue,
			list(jiraFields("Priority", f.Priority.Name, "Assignee", f.Assignee.Name), 5))
	case event == "jira:issue_created":
		return fmt.Sprintf("%s created %s.", actor, issue)
	case event == "jira:issue_deleted":
		return fmt.Sprintf("%s deleted %s.", actor, issue)
	case event == "jira:issue_updated":
		if len(lines) == 0 && comment == "" {
			return fmt.Sprintf("%s updated %s.", actor, issue)
		}
		return fmt.Sprintf("%s updated %s%s%s", actor, issue, list(lines, 20), comment)
	case event == "comment_created":
		return fmt.Sprintf("%s commented on %s.%s", actor, issue, comment)
	case event == "comment_updated":
		return fmt.Sprintf("%s edited a comment on %s.%s", actor, issue, comment)
	case event == "comment_deleted":
		return fmt.Sprintf("%s deleted a comment on %s.", actor, issue)
	case kind == "worklog" && p.Worklog != nil:
		return fmt.Sprintf("%s %s a worklog of %s on %s.%s", actor, cmp.Or(verb, "changed"),
			cmp.Or(title(p.Worklog.Spent), "unknown length"), issue, quote(p.Worklog.Comment.markdown()))
	case kind == "attachment" && p.Attachment != nil:
		return fmt.Sprintf("Attachment %s: %s.", link(cmp.Or(p.Attachment.Name, "file"), p.Attachment.URL), verb)
	case name != "":
		return fmt.Sprintf("%s %s: %s.", strings.ToUpper(kind[:1])+kind[1:], code(name), verb)
	case p.Issue != nil:
		return fmt.Sprintf("%s: %s on %s.", actor, code(p.Event), issue)
	}
	return ""
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

func jiraFields(pairs ...string) []string {
	var lines []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			lines = append(lines, pairs[i]+": "+title(pairs[i+1]))
		}
	}
	return lines
}
