package webhooks_test

import "testing"

// What changed is named, and values of other types and less common events are read.
func TestGitHubChanges(t *testing.T) {
	h := start(t, "")
	const repo = `"repository":{"name":"hello","full_name":"octo/hello","html_url":"https://gh/hello"},` +
		`"sender":{"login":"octocat"}`
	const link, topic = "[PR #7 Add x](https://gh/7)", "hello / PR #7 Add x"
	const pr = `"pull_request":{"number":7,"title":"Add x","html_url":"https://gh/7","body":null,"user":null,` +
		`"head":{"ref":"x","repo":null},"base":{"ref":"main"}}`
	pull := func(action, more, text string) delivery {
		return delivery{"github", "X-GitHub-Event: pull_request",
			`{"action":"` + action + `",` + more + pr + `,` + repo + `}`, topic, text}
	}
	event := func(name, body, topic, text string) delivery {
		return delivery{"github", "X-GitHub-Event: " + name, "{" + body + "," + repo + "}", topic, text}
	}
	h.posts(t, []delivery{
		pull("labeled", `"label":{"id":1,"name":"bug"},`, "octocat added the label `bug` to "+link+"."),
		pull("assigned", `"assignee":{"login":"ann"},`, "octocat assigned ann to "+link+"."),
		pull("review_requested", `"requested_reviewer":{"login":"ann"},`, "octocat requested a review by ann of "+link+"."),
		pull("review_requested", `"requested_team":{"name":"core"},`, "octocat requested a review by core of "+link+"."),
		pull("milestoned", `"milestone":{"title":2.0,"number":1},`, "octocat added `2.0` as the milestone of "+link+"."),
		pull("edited", `"changes":{"title":{"from":"Old"},"body":{"from":""},"base":{"ref":{"from":"dev"}}},`,
			"octocat edited "+link+".\n* Former title: `Old`\n* Edited the description\n* Former base branch: `dev`"),
		pull("synchronize", `"before":"a1","after":"0d1a26e67d8f5eaf",`,
			"octocat updated "+link+".\n* Pushed new commits, the last of which is `0d1a26e67d8`"),
		pull("auto_merge_enabled", ``, "octocat auto merge enabled "+link+"."),
		event("issues", `"action":"pinned","issue":{"number":"3","title":["a",1],"html_url":null,"body":{"x":1}}`,
			"hello / issue #3 a, 1", "octocat pinned issue #3 a, 1."),
		event("pull_request_review_thread", `"action":"resolved",`+pr, topic, "octocat resolved a thread of "+link+"."),
		event("discussion", `"action":"created","discussion":{"number":9,"title":"Q","html_url":"https://gh/9",
			"body":"Why?"}`,
			"hello / discussion #9 Q", "octocat created [discussion #9 Q](https://gh/9).\n\n```quote\nWhy?\n```"),
		event("discussion_comment", `"action":"created","discussion":{"number":9,"title":"Q","html_url":"https://gh/9"},
			"comment":{"body":"So","html_url":"https://gh/9#c"}`, "hello / discussion #9 Q",
			"octocat [commented](https://gh/9#c) on [discussion #9 Q](https://gh/9).\n\n```quote\nSo\n```"),
		event("status", `"state":"failure","sha":"0d1a26e67d8f5eaf","context":"ci/build","target_url":"https://ci/1",
			"description":"2 tests failed","branches":[{"name":"main"}]`, "hello",
			"[ci/build](https://ci/1) on `0d1a26e67d8`: failure.\n2 tests failed"),
		event("check_suite", `"action":"completed","check_suite":{"conclusion":"success","head_sha":"0d1a26e67d8f5eaf",
			"head_branch":"main","app":{"name":"CI"}}`, "hello", "The check suite CI on `0d1a26e67d8`: success."),
		event("gollum", `"pages":[{"title":"Home","action":"edited","html_url":"https://gh/wiki"}]`, "hello",
			"octocat changed the wiki.\n* edited [Home](https://gh/wiki)"),
		event("secret_scanning_alert", `"action":"created","alert":{"number":42,"html_url":"https://gh/a",
			"secret_type":"token","secret_type_display_name":"Some token"}`, "hello",
			"secret scanning alert [#42 Some token](https://gh/a): created."),
		{"github", "X-GitHub-Event: organization", `{"action":"member_added","membership":{"user":{"login":"ann"}},
			"organization":{"login":"octo"},"sender":{"login":"octocat"}}`, "octo", "octocat: member added ann."},
		{"github", "X-GitHub-Event: push", `{"ref":"refs/heads/x","before":"0","after":"0d1a","created":true,"commits":null,
			"repository":"hello","pusher":{"name":"ann"},"sender":null}`, "hello / x", "ann created branch x."},
		{"gitea", "X-Gitea-Event: issue_label", `{"action":"label_updated","issue":{"number":1,"title":"I",
			"html_url":"https://gt/1"},` + repo + `}`, "hello / issue #1 I",
			"octocat label updated [issue #1 I](https://gt/1)."},
		{"forgejo", "X-Forgejo-Event: wiki", `{"action":"edited","page":"Home","comment":"typo",` + repo + `}`, "hello",
			"octocat edited the wiki page `Home`."},
	})
}
