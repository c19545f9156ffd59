package format

import "cmp"

// The payloads of Gitea and its fork Forgejo are similar to GitHub's, but some events have other names.

func gitea() Integration {
	return giteaLike("gitea", "Gitea", []string{"X-Gitea-Event"}, []string{"X-Gitea-Signature"})
}

func forgejo() Integration {
	return giteaLike(
		"forgejo",
		"Forgejo",
		[]string{"X-Forgejo-Event", "X-Gitea-Event"},
		[]string{"X-Forgejo-Signature", "X-Gitea-Signature"},
	)
}

func giteaLike(name, display string, events, signatures []string) Integration {
	return Integration{
		Name: name, Display: display,
		Events: []string{
			"create", "delete", "fork", "issue_comment", "issues", "package", "pull_request", "pull_request_approved",
			"pull_request_comment", "pull_request_rejected", "push", "release", "repository", "status", "wiki", "workflow_run",
		},
		Options: gitOptions(Option{"ignore_private_repositories", "Ignore private repositories", "check_bool"}),
		Verify:  verifyHMAC("", signatures...),
		Format: func(r Request) (Message, error) {
			event, err := r.event(events...)
			if err != nil {
				return Message{}, err
			}
			switch event {
			case "pull_request_approved", "pull_request_rejected", "pull_request_comment", "pull_request_review_comment":
				return giteaReview(r, event)
			case "issue_assign", "issue_label", "issue_milestone":
				return renamed(r, "issues", event)
			case "pull_request_assign", "pull_request_label", "pull_request_milestone", "pull_request_sync",
				"pull_request_review_request":
				return renamed(r, "pull_request", event)
			}
			return gitHubLike(r, event)
		},
	}
}

// renamed formats an event under the name that GitHub uses for it. Filters also apply to that name.
func renamed(r Request, as, event string) (Message, error) {
	m, err := gitHubLike(r, as)
	if _, unsupported := err.(UnsupportedError); unsupported { //nolint:errorlint // it is never wrapped
		return m, UnsupportedError{event}
	}
	return m, err
}

func giteaReview(r Request, event string) (Message, error) {
	var p struct {
		ghPayload
		Review *struct {
			Content string `json:"content"`
		} `json:"review"`
	}
	if err := r.decode(&p); err != nil {
		return Message{}, err
	}
	switch {
	case p.PullRequest == nil:
		return Message{}, anomalous("pull_request")
	case p.Repository == nil:
		p.Repository = &ghRepository{Name: "repository"}
	}
	verb := map[string]string{"pull_request_approved": "approved", "pull_request_rejected": "requested changes on"}[event]
	t := item{
		actor: cmp.Or(line(p.Sender.Login), "Somebody"), verb: cmp.Or(verb, "commented on"), kind: "PR", mark: "#",
		number: p.PullRequest.Number, title: p.PullRequest.Title, url: p.PullRequest.URL, repo: p.Repository.Name,
	}
	switch {
	case p.Review != nil:
		t.body = p.Review.Content
	case p.Comment != nil:
		t.body = p.Comment.Body
	}
	m := t.message()
	m.Event = event
	return m, nil
}
