package format

import (
	"cmp"
	"fmt"
	"strings"
)

type circleRef struct {
	Branch   string `json:"branch"`
	Revision string `json:"commit_sha"`
	Subject  string `json:"commit_title"`
}

func circleci() Integration {
	return Integration{
		Name: "circleci", Display: "CircleCI", Events: []string{"job-completed", "ping", "workflow-completed"},
		Options: gitOptions(), Verify: verifyHMAC("v1=", "Circleci-Signature"),
		Format: func(r Request) (Message, error) {
			var p struct {
				Type    string `json:"type"`
				Project struct {
					Name string `json:"name"`
				} `json:"project"`
				Webhook struct {
					Name string `json:"name"`
				} `json:"webhook"`
				Workflow struct {
					Name   string `json:"name"`
					Status string `json:"status"`
					URL    string `json:"url"`
				} `json:"workflow"`
				Job struct {
					Name   string `json:"name"`
					Status string `json:"status"`
				} `json:"job"`
				Pipeline struct {
					Number int `json:"number"`
					// Sent instead of vcs for some hosts.
					Trigger struct {
						Git    circleRef `json:"git"`
						GitLab circleRef `json:"gitlab"`
					} `json:"trigger_parameters"`
					VCS struct {
						Branch   string `json:"branch"`
						Tag      string `json:"tag"`
						Revision string `json:"revision"`
						Commit   struct {
							Subject string `json:"subject"`
						} `json:"commit"`
					} `json:"vcs"`
				} `json:"pipeline"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			var what, status string
			switch p.Type {
			case "ping":
				return Message{
					Event:   p.Type,
					Topic:   "CircleCI",
					Content: fmt.Sprintf("The webhook %s has been configured.", code(p.Webhook.Name)),
				}, nil
			case "workflow-completed":
				what, status = "Workflow "+link(p.Workflow.Name, p.Workflow.URL), p.Workflow.Status
			case "job-completed":
				what, status = fmt.Sprintf("Job %s of %s", code(p.Job.Name), link(p.Workflow.Name, p.Workflow.URL)), p.Job.Status
			default:
				what, status = "Workflow "+link(p.Workflow.Name, p.Workflow.URL), cmp.Or(p.Job.Status, p.Workflow.Status)
				switch {
				case status == "" && p.Type == "":
					return Message{}, anomalous("type")
				case status == "":
					return Message{}, UnsupportedError{p.Type}
				}
			}
			vcs := p.Pipeline.VCS
			for _, t := range []circleRef{p.Pipeline.Trigger.Git, p.Pipeline.Trigger.GitLab} {
				vcs.Branch, vcs.Revision = cmp.Or(vcs.Branch, t.Branch), cmp.Or(vcs.Revision, t.Revision)
				vcs.Commit.Subject = cmp.Or(vcs.Commit.Subject, t.Subject)
			}
			ref := cmp.Or(line(vcs.Branch), line(vcs.Tag))
			if vcs.Branch != "" && !r.wantsBranch(vcs.Branch) {
				return skip(p.Type)
			}
			emoji := map[string]string{"success": ":check:", "failed": ":cross_mark:", "error": ":cross_mark:"}[status]
			text := strings.TrimSpace(fmt.Sprintf("%s %s of pipeline %d: %s.", emoji, what, p.Pipeline.Number, title(status)))
			if vcs.Revision != "" {
				text += fmt.Sprintf("\nCommit %s %s", code(vcs.Revision[:min(len(vcs.Revision), 11)]), title(vcs.Commit.Subject))
			}
			topic := cmp.Or(line(p.Project.Name), "CircleCI")
			if ref != "" {
				topic += " / " + ref
			}
			return Message{Event: p.Type, Topic: truncate(topic, 60), Content: text}, nil
		},
	}
}
