package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type ghUser struct {
	Login string `json:"login"`
}

type ghIssue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	URL    string `json:"html_url"`
	Body   string `json:"body"`
	Merged bool   `json:"merged"`
	Draft  bool   `json:"draft"`
	State  string `json:"state"`
	User   ghUser `json:"user"`
	Head   struct {
		Ref string `json:"ref"`
	} `json:"head"`
	Base struct {
		Ref string `json:"ref"`
	} `json:"base"`
	PullRequest *struct{} `json:"pull_request"` // set for pull requests
}

type ghText struct {
	Body  string `json:"body"`
	State string `json:"state"`
	URL   string `json:"html_url"`
	User  ghUser `json:"user"`
}

type ghRun struct {
	Name       string `json:"name"`
	Conclusion string `json:"conclusion"`
	URL        string `json:"html_url"`
	SHA        string `json:"head_sha"`
	Branch     string `json:"head_branch"`
	Suite      struct {
		Branch string `json:"head_branch"`
	} `json:"check_suite"` // of a check run
	App struct {
		Name string `json:"name"`
	} `json:"app"` // of a check suite
}

type ghRepository struct {
	Name    string `json:"name"`
	Full    string `json:"full_name"`
	URL     string `json:"html_url"`
	Private *bool  `json:"private"`
}

type ghPayload struct {
	Action  string `json:"action"`
	Ref     string `json:"ref"`
	RefType string `json:"ref_type"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Forced  bool   `json:"forced"`
	Compare string `json:"compare"`
	Total   int    `json:"total_commits"` // Gitea
	URL     string `json:"compare_url"`   // Gitea
	Commits []struct {
		ID      string `json:"id"`
		Message string `json:"message"`
		URL     string `json:"url"`
	} `json:"commits"`
	Repository   *ghRepository `json:"repository"`
	Organization *ghUser       `json:"organization"`
	Sender       ghUser        `json:"sender"`
	Issue        *ghIssue      `json:"issue"`
	PullRequest  *ghIssue      `json:"pull_request"`
	Comment      *ghText       `json:"comment"`
	Review       *ghText       `json:"review"` // Gitea: type and content
	Release      *struct {
		Tag  string `json:"tag_name"`
		Name string `json:"name"`
		Body string `json:"body"`
		URL  string `json:"html_url"`
	} `json:"release"`
	Forkee *struct {
		Full string `json:"full_name"`
		URL  string `json:"html_url"`
	} `json:"forkee"`
	CheckRun         *ghRun `json:"check_run"`
	WorkflowRun      *ghRun `json:"workflow_run"`
	DeploymentStatus *struct {
		State string `json:"state"`
		URL   string `json:"target_url"`
	} `json:"deployment_status"`
	Deployment struct {
		Environment string `json:"environment"`
	} `json:"deployment"`
	Zen string `json:"zen"`
	ghMore
}

func github() Integration {
	return Integration{
		Name: "github", Display: "GitHub",
		Events: []string{
			"check_run", "check_suite", "code_scanning_alert", "commit_comment", "create", "delete", "dependabot_alert",
			"deployment", "deployment_status", "discussion", "discussion_comment", "fork", "gollum", "issue_comment", "issues",
			"label", "member", "membership", "milestone", "organization", "package", "page_build", "ping", "public",
			"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread", "push",
			"registry_package", "release", "repository", "repository_vulnerability_alert", "secret_scanning_alert", "star",
			"status", "team", "team_add", "watch", "workflow_run",
		},
		Options: gitOptions(Option{"ignore_private_repositories", "Ignore private repositories", "check_bool"}),
		Verify:  verifyHMAC("sha256=", "X-Hub-Signature-256"),
		Format: func(r Request) (Message, error) {
			event, err := r.event("X-GitHub-Event")
			if err != nil {
				return Message{}, err
			}
			return gitHubLike(r, event)
		},
	}
}

// gitHubLike formats events from GitHub and from services with the same payloads.
func gitHubLike(r Request, event string) (Message, error) {
	var p ghPayload
	if err := r.decode(&p); err != nil {
		return Message{}, err
	}
	known := p.Repository != nil
	switch ignore := r.Params["ignore_private_repositories"] == "true"; {
	case !known && p.Organization != nil:
		m, err := p.ofOrganization(event)
		m.Event = event
		return m, err
	case !known && ignore && event != "ping":
		return Message{}, anomalous("repository")
	case !known:
		p.Repository = &ghRepository{}
	case ignore && p.Repository.Private == nil && event != "ping":
		return Message{}, anomalous("repository.private")
	case ignore && p.Repository.Private != nil && *p.Repository.Private:
		return skip(event)
	}
	m, err := p.message(r, event)
	m.Event = event
	if err == nil && !known && p.Sender.Login == "" && p.Pusher.Name == "" && event != "ping" {
		return Message{}, anomalous("repository")
	}
	return m, err
}

func (p *ghPayload) message(r Request, event string) (Message, error) {
	repo := cmp.Or(line(p.Repository.Name), line(p.Repository.Full))
	if repo == "" && event != "ping" {
		repo = "repository"
	}
	actor := cmp.Or(line(p.Sender.Login), line(p.Pusher.Name), "Somebody")
	byActor := func(format string, args ...any) (Message, error) {
		return Message{Topic: repo, Content: actor + " " + fmt.Sprintf(format, args...)}, nil
	}
	switch event {
	case "ping":
		return Message{Topic: cmp.Or(repo, "GitHub"), Content: "The webhook has been configured. " + title(p.Zen)}, nil
	case "push":
		return p.pushed(r, repo, actor)
	case "create", "delete":
		verb := event + "d"
		if !r.wantsBranch(p.Ref) && p.RefType == "branch" {
			return skip(event)
		}
		return byActor("%s %s %s.", verb, line(p.RefType), code(p.Ref))
	case "pull_request":
		return p.pullRequest(repo, actor)
	case "issues":
		return p.issue(repo, actor)
	case "issue_comment", "pull_request_review_comment":
		return p.comment(repo, actor)
	case "commit_comment":
		if p.Comment == nil {
			return Message{}, anomalous("comment")
		}
		return byActor("%s on a commit.%s", link("commented", p.Comment.URL), quote(p.Comment.Body))
	case "pull_request_review":
		return p.reviewed(repo, actor)
	case "pull_request_review_thread":
		p.Action += " a thread of"
		return p.pullRequest(repo, actor)
	case "release":
		if p.Release == nil {
			return Message{}, anomalous("release")
		}
		release := link(cmp.Or(p.Release.Name, p.Release.Tag), p.Release.URL)
		return byActor("%s release %s.", title(cmp.Or(p.Action, "published")), release)
	case "fork":
		if p.Forkee == nil {
			return Message{}, anomalous("forkee")
		}
		return byActor("forked the repository to %s.", link(p.Forkee.Full, p.Forkee.URL))
	case "star", "watch":
		if p.Action == "deleted" {
			return byActor("unstarred %s.", link(p.Repository.Full, p.Repository.URL))
		}
		return byActor("starred %s.", link(p.Repository.Full, p.Repository.URL))
	case "repository", "public":
		verb := title(cmp.Or(p.Action, "published"))
		return byActor("%s the repository %s.", verb, link(p.Repository.Full, p.Repository.URL))
	case "member":
		if p.Member == nil {
			return Message{}, anomalous("member")
		}
		return byActor("%s %s as a collaborator.", title(p.Action), line(p.Member.Login))
	case "check_run":
		return p.run(r, repo, event, p.CheckRun)
	case "workflow_run":
		return p.run(r, repo, event, p.WorkflowRun)
	case "deployment_status":
		if p.DeploymentStatus == nil {
			return Message{}, anomalous("deployment_status")
		}
		return Message{Topic: repo, Content: fmt.Sprintf("Deployment to %s: %s.", code(p.Deployment.Environment),
			link(p.DeploymentStatus.State, p.DeploymentStatus.URL))}, nil
	}
	return p.other(r, event, repo, actor)
}

func (p *ghPayload) pushed(r Request, repo, actor string) (Message, error) {
	switch {
	case p.Ref == "" && len(p.Commits) == 0:
		return Message{}, anomalous("ref")
	case strings.HasPrefix(p.Ref, "refs/heads/") && !r.wantsBranch(branch(p.Ref)):
		return skip("push")
	}
	out := push{
		actor:   actor,
		ref:     cmp.Or(p.Ref, "unknown"),
		before:  p.Before,
		after:   p.After,
		compare: cmp.Or(p.Compare, p.URL),
		repo:    repo,
		forced:  p.Forced,
	}
	for _, c := range p.Commits {
		out.commits = append(out.commits, commit{c.ID, c.Message, c.URL})
	}
	out.total = max(p.Total, len(p.Commits))
	return out.message(), nil
}

func (p *ghPayload) issue(repo, actor string) (Message, error) {
	if p.Issue == nil {
		return Message{}, anomalous("issue")
	}
	verb, changes := p.doing()
	t := item{
		actor:   actor,
		verb:    verb,
		kind:    "issue",
		mark:    "#",
		number:  p.Issue.Number,
		title:   p.Issue.Title,
		url:     p.Issue.URL,
		repo:    repo,
		changes: changes,
	}
	if p.Action == "opened" {
		t.body = p.Issue.Body
	}
	return t.message(), nil
}

func (p *ghPayload) pullRequest(repo, actor string) (Message, error) {
	pr := p.PullRequest
	if pr == nil {
		return Message{}, anomalous("pull_request")
	}
	verb, changes := p.doing()
	t := item{
		actor:   actor,
		verb:    verb,
		kind:    "PR",
		mark:    "#",
		number:  pr.Number,
		title:   pr.Title,
		url:     pr.URL,
		repo:    repo,
		changes: changes,
	}
	switch p.Action {
	case "opened":
		t.body, t.more = pr.Body, fmt.Sprintf(" from %s to %s", code(pr.Head.Ref), code(pr.Base.Ref))
	case "closed":
		if pr.Merged {
			t.verb = "merged"
		}
	case "synchronize", "synchronized":
		t.verb = "updated"
		if !noCommit(p.After) {
			t.changes = append(t.changes, "Pushed new commits, the last of which is "+code(p.After[:min(len(p.After), 11)]))
		}
	case "ready_for_review":
		t.verb = "marked as ready for review"
	case "converted_to_draft":
		t.verb = "converted to a draft"
	}
	return t.message(), nil
}

func (p *ghPayload) comment(repo, actor string) (Message, error) {
	on, kind := p.Issue, "issue"
	if on == nil {
		on = p.PullRequest
	}
	switch {
	case p.Comment == nil && on == nil:
		return Message{}, anomalous("comment")
	case p.Comment == nil:
		p.Comment = &ghText{}
	case on == nil:
		on = &ghIssue{}
	}
	if p.PullRequest != nil || on.PullRequest != nil {
		kind = "PR"
	}
	verb := link("commented", p.Comment.URL) + " on"
	switch p.Action {
	case "edited":
		verb = "edited a " + link("comment", p.Comment.URL) + " on"
	case "deleted":
		verb, p.Comment.Body = "deleted a comment on", ""
	}
	return item{
		actor:  actor,
		verb:   verb,
		kind:   kind,
		mark:   "#",
		number: on.Number,
		title:  on.Title,
		url:    on.URL,
		body:   p.Comment.Body,
		repo:   repo,
	}.message(), nil
}

func (p *ghPayload) reviewed(repo, actor string) (Message, error) {
	pr := p.PullRequest
	switch {
	case pr == nil && p.Review == nil:
		return Message{}, anomalous("review")
	case pr == nil:
		pr = &ghIssue{}
	case p.Review == nil:
		p.Review = &ghText{}
	}
	if p.Action == "dismissed" {
		p.Review.State = "dismissed"
	}
	verb := map[string]string{
		"approved": "approved", "changes_requested": "requested changes on", "dismissed": "dismissed a review of",
	}[strings.ToLower(p.Review.State)]
	return item{
		actor: actor, verb: cmp.Or(verb, "reviewed"), kind: "PR", mark: "#", number: pr.Number, title: pr.Title, url: pr.URL,
		body: p.Review.Body, repo: repo,
	}.message(), nil
}

// run returns the message for a finished check or workflow run. Unfinished runs produce no message.
func (p *ghPayload) run(r Request, repo, event string, run *ghRun) (Message, error) {
	if run == nil {
		return Message{}, anomalous(event)
	}
	switch branch := cmp.Or(run.Branch, run.Suite.Branch); {
	case slices.Contains([]string{"created", "requested", "rerequested", "requested_action", "in_progress"}, p.Action),
		p.Action != "completed" && run.Conclusion == "", branch != "" && !r.wantsBranch(branch):
		return skip(event)
	}
	name := strings.ReplaceAll(event, "_", " ")
	return Message{
		Topic: repo,
		Content: fmt.Sprintf("The %s %s on %s: %s.", name, link(cmp.Or(run.Name, run.App.Name), run.URL),
			code(run.SHA[:min(len(run.SHA), 11)]), cmp.Or(strings.ReplaceAll(run.Conclusion, "_", " "), "completed")),
	}, nil
}
