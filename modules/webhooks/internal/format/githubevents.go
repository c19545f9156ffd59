package format

import (
	"cmp"
	"fmt"
	"strings"
)

// ghMore holds the fields of the less common events, and of the changes of issues and pull requests.
type ghMore struct {
	Label      ghNamed `json:"label"`
	Assignee   ghUser  `json:"assignee"`
	Reviewer   ghUser  `json:"requested_reviewer"`
	ReviewTeam ghNamed `json:"requested_team"`
	Milestone  ghNamed `json:"milestone"`
	Pusher     ghNamed `json:"pusher"`
	Team       ghNamed `json:"team"`
	Member     *ghUser `json:"member"`
	Membership struct {
		User ghUser `json:"user"`
	} `json:"membership"`
	Changes struct {
		Title struct {
			From string `json:"from"`
		} `json:"title"`
		Body *struct{} `json:"body"`
		Base struct {
			Ref struct {
				From string `json:"from"`
			} `json:"ref"`
		} `json:"base"`
	} `json:"changes"`
	Discussion *ghIssue `json:"discussion"`
	Alert      *struct {
		Number int    `json:"number"`
		URL    string `json:"html_url"`
		Rule   struct {
			Text string `json:"description"`
		} `json:"rule"`
		Secret   string `json:"secret_type_display_name"`
		Kind     string `json:"secret_type"`
		Advisory struct {
			Summary  string `json:"summary"`
			Severity string `json:"severity"`
		} `json:"security_advisory"`
	} `json:"alert"`
	Pages []struct {
		Title  string `json:"title"`
		Action string `json:"action"`
		URL    string `json:"html_url"`
	} `json:"pages"`
	Page       string  `json:"page"` // Gitea
	CheckSuite *ghRun  `json:"check_suite"`
	Package    ghNamed `json:"package"`
	Registry   ghNamed `json:"registry_package"`
	Build      struct {
		Status string `json:"status"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"build"`
	// Of the status of a commit.
	State       string    `json:"state"`
	SHA         string    `json:"sha"`
	Context     string    `json:"context"`
	Description string    `json:"description"`
	Target      string    `json:"target_url"`
	Branches    []ghNamed `json:"branches"`
}

type ghNamed struct {
	Name  string `json:"name"`
	Title string `json:"title"` // of milestones
	URL   string `json:"html_url"`
}

// doing returns the verb for an action on an issue or pull request, with what it concerns, and what an edit changed.
func (p *ghPayload) doing() (verb string, changes []string) {
	to := cmp.Or(line(p.Assignee.Login), line(p.Label.Name), line(p.Milestone.Title))
	reviewer := cmp.Or(line(p.Reviewer.Login), line(p.ReviewTeam.Name))
	phrases := map[string]string{}
	if to != "" {
		phrases = map[string]string{
			"assigned": "assigned " + to + " to", "unassigned": "unassigned " + to + " from",
			"labeled":      "added the label " + code(p.Label.Name) + " to",
			"unlabeled":    "removed the label " + code(p.Label.Name) + " from",
			"milestoned":   "added " + code(p.Milestone.Title) + " as the milestone of",
			"demilestoned": "removed the milestone " + code(p.Milestone.Title) + " from",
		}
	}
	if reviewer != "" {
		phrases["review_requested"] = "requested a review by " + reviewer + " of"
		phrases["review_request_removed"] = "removed the request for a review by " + reviewer + " of"
	}
	if from := p.Changes.Title.From; from != "" {
		changes = append(changes, "Former title: "+code(truncate(from, 200)))
	}
	if p.Changes.Body != nil {
		changes = append(changes, "Edited the description")
	}
	if from := p.Changes.Base.Ref.From; from != "" {
		changes = append(changes, "Former base branch: "+code(from))
	}
	return cmp.Or(phrases[p.Action], title(strings.ReplaceAll(p.Action, "_", " ")), "changed"), changes
}

// other returns the message for a less common event.
func (p *ghPayload) other(r Request, event, repo, actor string) (Message, error) {
	action := cmp.Or(title(strings.ReplaceAll(p.Action, "_", " ")), "changed")
	say := func(format string, args ...any) (Message, error) {
		return Message{Topic: repo, Content: fmt.Sprintf(format, args...)}, nil
	}
	switch {
	case (event == "discussion" || event == "discussion_comment") && p.Discussion != nil:
		return p.discussed(repo, actor, event)
	case event == "status" && p.State != "":
		return p.statusOf(r, repo)
	case event == "gollum" && len(p.Pages) > 0:
		var lines []string
		for _, page := range p.Pages {
			lines = append(lines, title(page.Action)+" "+link(page.Title, page.URL))
		}
		return say("%s changed the wiki.%s", actor, list(lines, 20))
	case event == "wiki" && p.Page != "": // Gitea
		return say("%s %s the wiki page %s.", actor, action, code(p.Page))
	case event == "milestone" && p.Milestone.Title != "":
		return say("%s %s the milestone %s.", actor, action, link(p.Milestone.Title, p.Milestone.URL))
	case event == "label" && p.Label.Name != "":
		return say("%s %s the label %s.", actor, action, code(p.Label.Name))
	case event == "check_suite" && p.CheckSuite != nil:
		return p.run(r, repo, event, p.CheckSuite)
	case event == "page_build" && p.Build.Status != "":
		return say("The site of the repository: %s.%s", title(p.Build.Status), quote(p.Build.Error.Message))
	case event == "package" || event == "registry_package":
		if of := cmp.Or(p.Package, p.Registry); of.Name != "" {
			return say("%s %s the package %s.", actor, action, link(of.Name, of.URL))
		}
	case event == "deployment" && p.Deployment.Environment != "":
		return say("%s requested a deployment to %s.", actor, code(p.Deployment.Environment))
	case event == "team_add" && p.Team.Name != "":
		return say("%s added the team %s.", actor, link(p.Team.Name, p.Team.URL))
	case strings.HasSuffix(event, "_alert") && p.Alert != nil:
		a := p.Alert
		what := cmp.Or(a.Advisory.Summary, a.Rule.Text, a.Secret, a.Kind)
		text := fmt.Sprintf("%s %s: %s", title(strings.ReplaceAll(event, "_", " ")),
			link(fmt.Sprintf("#%d %s", a.Number, what), a.URL), action)
		if a.Advisory.Severity != "" {
			text += ", severity " + title(a.Advisory.Severity)
		}
		return say("%s.", text)
	}
	return Message{}, UnsupportedError{event}
}

// ofOrganization returns the message for an event without a repository.
func (p *ghPayload) ofOrganization(event string) (Message, error) {
	actor, org := cmp.Or(line(p.Sender.Login), "Somebody"), line(p.Organization.Login)
	action := cmp.Or(title(strings.ReplaceAll(p.Action, "_", " ")), "changed")
	member := line(p.Membership.User.Login)
	if p.Member != nil {
		member = cmp.Or(line(p.Member.Login), member)
	}
	var text string
	switch {
	case event == "organization" && member != "":
		text = fmt.Sprintf("%s: %s %s.", actor, action, member)
	case event == "membership" && member != "":
		text = fmt.Sprintf("%s %s %s, in the team %s.", actor, action, member, link(p.Team.Name, p.Team.URL))
	case event == "team" && p.Team.Name != "":
		text = fmt.Sprintf("%s %s the team %s.", actor, action, link(p.Team.Name, p.Team.URL))
	default:
		return Message{}, UnsupportedError{event}
	}
	return Message{Topic: org, Content: text}, nil
}

func (p *ghPayload) discussed(repo, actor, event string) (Message, error) {
	d := p.Discussion
	verb, _ := p.doing()
	t := item{
		actor: actor, verb: verb, kind: "discussion", mark: "#", number: d.Number, title: d.Title, url: d.URL, repo: repo,
	}
	switch {
	case event == "discussion_comment" && p.Comment != nil && p.Action == "created":
		t.verb, t.body = link("commented", p.Comment.URL)+" on", p.Comment.Body
	case event == "discussion_comment":
		t.verb = verb + " a comment on"
	case p.Action == "created":
		t.body = d.Body
	}
	return t.message(), nil
}

// statusOf returns the message for the status of a commit. Unfinished checks produce no message.
func (p *ghPayload) statusOf(r Request, repo string) (Message, error) {
	wanted := len(p.Branches) == 0
	for _, b := range p.Branches {
		wanted = wanted || r.wantsBranch(b.Name)
	}
	if p.State == "pending" || !wanted {
		return skip("status")
	}
	text := fmt.Sprintf("%s on %s: %s.", link(cmp.Or(p.Context, "Status"), p.Target), code(p.SHA[:min(len(p.SHA), 11)]),
		title(p.State))
	if p.Description != "" {
		text += "\n" + title(p.Description)
	}
	return Message{Topic: repo, Content: text}, nil
}
