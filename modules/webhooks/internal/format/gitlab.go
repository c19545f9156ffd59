package format

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"strings"
)

type glPayload struct {
	Kind    string `json:"object_kind"`
	Ref     string `json:"ref"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Name    string `json:"user_name"` // of pushes
	Total   int    `json:"total_commits_count"`
	Commits []struct {
		ID      string `json:"id"`
		Message string `json:"message"`
		URL     string `json:"url"`
	} `json:"commits"`
	User struct {
		Name string `json:"name"`
	} `json:"user"`
	Project *struct {
		Name       string `json:"name"`
		URL        string `json:"web_url"`
		Visibility int    `json:"visibility_level"` // 0: private
	} `json:"project"`
	Object struct {
		IID         int    `json:"iid"`
		ID          int    `json:"id"`
		Title       string `json:"title"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Action      string `json:"action"`
		Note        string `json:"note"`
		NoteOn      string `json:"noteable_type"`
		Source      string `json:"source_branch"`
		Target      string `json:"target_branch"`
		Status      string `json:"status"`
		Ref         string `json:"ref"`
		Name        string `json:"name"`
		Active      bool   `json:"active"`
		State       string `json:"state"`
		Severity    string `json:"severity"`
		Expires     string `json:"expires_at"`
		OldRevision string `json:"oldrev"` // set if commits were pushed to the branch of a merge request
		LastCommit  struct {
			ID      string `json:"id"`
			Message string `json:"message"`
			URL     string `json:"url"`
		} `json:"last_commit"`
	} `json:"object_attributes"`
	Changes      map[string]glChange `json:"changes"`
	Issue        *glItem             `json:"issue"`
	MergeRequest *glItem             `json:"merge_request"`
	Commit       *struct {
		ID  string `json:"id"`
		URL string `json:"url"`
	} `json:"commit"`
	BuildName   string `json:"build_name"`
	BuildStatus string `json:"build_status"`
	BuildID     int    `json:"build_id"`
	Tag         string `json:"tag"`
	Action      string `json:"action"`
	URL         string `json:"url"`
	ReleaseName string `json:"name"`
	Repository  *struct {
		Name string `json:"name"`
		URL  string `json:"homepage"`

		Visibility *int `json:"visibility_level"` // of jobs
	} `json:"repository"`
	Type          string `json:"event_type"`
	Status        string `json:"status"` // of deployments
	Environment   string `json:"environment"`
	DeployableURL string `json:"deployable_url"`
	glSystem
}

type glItem struct {
	IID   int    `json:"iid"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func gitlab() Integration {
	return Integration{
		Name: "gitlab", Display: "GitLab",
		Events: []string{
			"Confidential Issue Hook", "Confidential Note Hook", "Deployment Hook", "Emoji Hook", "Feature Flag Hook",
			"Issue Hook", "Job Hook", "Member Hook", "Merge Request Hook", "Milestone Hook", "Note Hook", "Pipeline Hook",
			"Project Hook", "Push Hook", "Release Hook", "Resource Access Token Hook", "Subgroup Hook", "System Hook",
			"Tag Push Hook", "Vulnerability Hook", "Wiki Page Hook",
		},
		Options: gitOptions(Option{"ignore_private_repositories", "Ignore private repositories", "check_bool"}),
		Verify: func(r Request, secret string) bool { // GitLab sends the secret itself
			return subtle.ConstantTimeCompare([]byte(r.Headers["X-Gitlab-Token"]), []byte(secret)) == 1
		},
		Format: func(r Request) (Message, error) {
			event, err := r.event("X-Gitlab-Event")
			if err != nil {
				return Message{}, err
			}
			var p glPayload
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if event == "System Hook" { // the body names the event, which may be one of the others
				event = cmp.Or(glHooks[cmp.Or(p.Kind, p.Event)], event)
			}
			if p.Kind == "" && p.Event == "" && p.Project == nil && p.Repository == nil {
				return Message{}, anomalous("object_kind")
			}
			if r.Params["ignore_private_repositories"] == "true" && p.private() {
				return skip(event)
			}
			m, err := p.message(r, event)
			m.Event = event
			return m, err
		},
	}
}

func (p *glPayload) private() bool {
	switch {
	case p.Project != nil:
		return p.Project.Visibility == 0
	case p.Repository != nil && p.Repository.Visibility != nil:
		return *p.Repository.Visibility == 0
	}
	return strings.HasSuffix(p.Visible, "private")
}

func (p *glPayload) repo() string {
	switch {
	case p.Project != nil:
		return line(p.Project.Name)
	case p.Repository != nil:
		return line(p.Repository.Name)
	}
	return "GitLab"
}

func (p *glPayload) message(r Request, event string) (Message, error) {
	actor, o := cmp.Or(line(p.User.Name), line(p.Name), "Somebody"), p.Object
	switch event {
	case "Push Hook", "Tag Push Hook":
		if strings.HasPrefix(p.Ref, "refs/heads/") && !r.wantsBranch(branch(p.Ref)) {
			return skip(event)
		}
		out := push{
			actor:  actor,
			ref:    p.Ref,
			before: p.Before,
			after:  p.After,
			repo:   p.repo(),
			total:  max(p.Total, len(p.Commits)),
		}
		if p.Project != nil && !noCommit(p.After) {
			out.compare = p.Project.URL + "/-/commits/" + branch(p.Ref)
			if !noCommit(p.Before) {
				out.compare = p.Project.URL + "/-/compare/" + p.Before + "..." + p.After
			}
		}
		for _, c := range p.Commits {
			out.commits = append(out.commits, commit{c.ID, c.Message, c.URL})
		}
		return out.message(), nil
	case "Issue Hook", "Confidential Issue Hook":
		t := item{
			actor:  actor,
			verb:   glVerb(o.Action),
			kind:   "issue",
			mark:   "#",
			number: o.IID,
			title:  o.Title,
			url:    o.URL,
			repo:   p.repo(),
		}
		if o.Action == "open" {
			t.body = o.Description
		} else {
			t.changes = p.changed()
		}
		return t.message(), nil
	case "Merge Request Hook":
		t := item{
			actor:  actor,
			verb:   glVerb(o.Action),
			kind:   "MR",
			mark:   "!",
			number: o.IID,
			title:  o.Title,
			url:    o.URL,
			repo:   p.repo(),
		}
		if o.Action == "open" {
			t.body, t.more = o.Description, fmt.Sprintf(" from %s to %s", code(o.Source), code(o.Target))
		} else {
			t.changes = p.changed()
		}
		return t.message(), nil
	case "Note Hook", "Confidential Note Hook":
		return p.note(actor)
	case "Pipeline Hook":
		if !r.wantsBranch(o.Ref) {
			return skip(event)
		}
		address := o.URL
		if address == "" && p.Project != nil {
			address = fmt.Sprintf("%s/-/pipelines/%d", p.Project.URL, o.ID)
		}
		return Message{
			Topic:   p.repo() + " / " + line(o.Ref),
			Content: fmt.Sprintf("%s on %s: %s.", link(fmt.Sprintf("Pipeline %d", o.ID), address), code(o.Ref), title(o.Status)),
		}, nil
	case "Job Hook", "Build Hook":
		if !r.wantsBranch(p.Ref) {
			return skip(event)
		}
		return Message{
			Topic:   p.repo() + " / " + line(p.Ref),
			Content: fmt.Sprintf("Job %s on %s: %s.", code(p.BuildName), code(p.Ref), title(p.BuildStatus)),
		}, nil
	case "Release Hook":
		return Message{
			Topic:   p.repo(),
			Content: fmt.Sprintf("Release %s: %sd.", link(cmp.Or(p.ReleaseName, p.Tag), p.URL), title(p.Action)),
		}, nil
	case "Wiki Page Hook":
		return Message{
			Topic:   p.repo(),
			Content: fmt.Sprintf("%s %s wiki page %s.", actor, glVerb(o.Action), link(o.Title, o.URL)),
		}, nil
	case "System Hook", "Member Hook", "Subgroup Hook", "Project Hook":
		return p.system()
	}
	return p.other(event, actor)
}

// other returns the message for a less common event.
func (p *glPayload) other(event, actor string) (Message, error) {
	o := p.Object
	say := func(format string, args ...any) (Message, error) {
		return Message{Topic: p.repo(), Content: fmt.Sprintf(format, args...)}, nil
	}
	switch {
	case event == "Deployment Hook" && p.Status != "":
		return say("Deployment to %s by %s: %s.", link(cmp.Or(p.Environment, "unknown"), p.DeployableURL), actor,
			title(p.Status))
	case event == "Feature Flag Hook" && o.Name != "":
		state := "off"
		if o.Active {
			state = "on"
		}
		return say("%s turned the feature flag %s %s.", actor, code(o.Name), state)
	case event == "Emoji Hook" && o.Name != "":
		on := "a comment"
		if p.MergeRequest != nil {
			on = link("MR "+p.MergeRequest.Title, p.MergeRequest.URL)
		} else if p.Issue != nil {
			on = link("issue "+p.Issue.Title, p.Issue.URL)
		}
		verb := "added"
		if p.Type == "revoke" {
			verb = "removed"
		}
		return say("%s %s :%s: on %s.", actor, verb, letters(o.Name), on)
	case event == "Milestone Hook" && o.Title != "":
		return say("%s %s milestone %s.", actor, glVerb(cmp.Or(o.Action, p.Action)), code(o.Title))
	case event == "Resource Access Token Hook" && o.Name != "":
		return say("The access token %s expires at %s.", code(o.Name), title(o.Expires))
	case event == "Vulnerability Hook" && o.Title != "":
		return say("Vulnerability %s: %s, severity %s.", link(o.Title, o.URL), title(o.State), title(o.Severity))
	}
	return Message{}, UnsupportedError{event}
}

func (p *glPayload) note(actor string) (Message, error) {
	t := item{actor: actor, verb: link("commented", p.Object.URL) + " on", body: p.Object.Note, repo: p.repo()}
	if p.Object.Action == "update" {
		t.verb = "edited a " + link("comment", p.Object.URL) + " on"
	}
	switch {
	case p.Issue != nil:
		t.kind, t.mark, t.number, t.title, t.url = "issue", "#", p.Issue.IID, p.Issue.Title, p.Issue.URL
	case p.MergeRequest != nil:
		t.kind, t.mark, t.number, t.title, t.url = "MR", "!", p.MergeRequest.IID, p.MergeRequest.Title, p.MergeRequest.URL
	case p.Commit != nil:
		return Message{Topic: p.repo(), Content: fmt.Sprintf("%s %s on commit %s.%s", actor, link("commented", p.Object.URL),
			link(p.Commit.ID[:min(len(p.Commit.ID), 11)], p.Commit.URL), quote(p.Object.Note))}, nil
	default:
		return Message{
			Topic:   p.repo(),
			Content: fmt.Sprintf("%s %s.%s", actor, link("commented", p.Object.URL), quote(p.Object.Note)),
		}, nil
	}
	return t.message(), nil
}

func glVerb(action string) string {
	verbs := map[string]string{
		"open": "opened", "close": "closed", "reopen": "reopened", "update": "updated", "merge": "merged",
		"approved": "approved", "unapproved": "withdrew approval of", "approval": "added approval to",
		"unapproval": "withdrew approval of",
		"create":     "created", "delete": "deleted",
	}
	return cmp.Or(verbs[action], title(action), "changed")
}
