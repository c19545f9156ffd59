package format

import "testing"

const ghRepo = `"repository":{"id":1,"name":"hello","full_name":"octo/hello","private":true,` +
	`"html_url":"https://github.com/octo/hello"},"sender":{"login":"octocat","id":1}`

func TestGitHub(t *testing.T) {
	push := `{"ref":"refs/heads/main","before":"6113728f27ae82c7b1a177c8d03f9e96e0adf246",
		"after":"0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
		"compare":"https://github.com/octo/hello/compare/6113...0d1a",
		"commits":[{"id":"0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c","message":"Fix it\n\nLong",
		"url":"https://github.com/octo/hello/commit/0d1a","author":{"name":"Octo","email":"o@x.org"}}],` + ghRepo + `}`
	pr := func(action, more string) string {
		return `{"action":"` + action + `","number":7,"pull_request":{"number":7,` +
			`"html_url":"https://github.com/octo/hello/pull/7","title":"Add x",` + more +
			`"user":{"login":"octocat"},"head":{"ref":"x"},"base":{"ref":"main"}},` + ghRepo + `}`
	}
	const prLink = "[PR #7 Add x](https://github.com/octo/hello/pull/7)"
	const topic7 = "hello / PR #7 Add x"
	run(t, []sample{
		{"github", "X-GitHub-Event: ping", nil, `{"zen":"Speak like a human.","hook_id":1,` + ghRepo + `}`,
			Message{"ping", "hello", "The webhook has been configured. Speak like a human."}},
		{"github", "X-GitHub-Event: push", nil, push, Message{"push", "hello / main",
			"octocat [pushed 1 commit](https://github.com/octo/hello/compare/6113...0d1a) to branch `main`.\n* Fix it " +
				"([0d1a26e67d8](https://github.com/octo/hello/commit/0d1a))"}},
		{"github", "X-GitHub-Event: push", map[string]string{"branches": "dev, release-*"}, push, Message{Event: "push"}},
		{"github", "X-GitHub-Event: push", map[string]string{"ignore_private_repositories": "true"}, push,
			Message{Event: "push"}},
		{"github", "X-GitHub-Event: push", nil,
			`{"ref":"refs/heads/x","before":"1","after":"0000000000000000000000000000000000000000",` + ghRepo + `}`,
			Message{"push", "hello / x", "octocat deleted branch `x`."}},
		{"github", "X-GitHub-Event: push", nil, `{"ref":"refs/tags/v1","before":"0000","after":"1",` + ghRepo + `}`,
			Message{"push", "hello", "octocat pushed tag `v1`."}},
		{"github", "X-GitHub-Event: pull_request", nil, pr("opened", `"body":"Why",`), Message{"pull_request", topic7,
			"octocat opened " + prLink + " from `x` to `main`.\n\n```quote\nWhy\n```"}},
		{"github", "X-GitHub-Event: pull_request", nil, pr("closed", `"merged":true,`),
			Message{"pull_request", topic7, "octocat merged " + prLink + "."}},
		{"github", "X-GitHub-Event: pull_request_review", nil,
			`{"action":"submitted","review":{"state":"approved","body":null,"html_url":"https://x.org"},
			"pull_request":{"number":7,"html_url":"https://github.com/octo/hello/pull/7","title":"Add x"},` + ghRepo + `}`,
			Message{"pull_request_review", topic7, "octocat approved " + prLink + "."}},
		{"github", "X-GitHub-Event: issues", nil,
			`{"action":"closed","issue":{"number":3,"title":"Bug","html_url":"https://github.com/octo/hello/issues/3"},` +
				ghRepo + `}`,
			Message{"issues", "hello / issue #3 Bug", "octocat closed [issue #3 Bug](https://github.com/octo/hello/issues/3)."}},
		{"github", "X-GitHub-Event: issue_comment", nil,
			`{"action":"created","issue":{"number":3,"title":"Bug","html_url":"https://github.com/octo/hello/issues/3"},
			"comment":{"html_url":"https://github.com/octo/hello/issues/3#c","body":"Hm"},` + ghRepo + `}`,
			Message{"issue_comment", "hello / issue #3 Bug",
				"octocat [commented](https://github.com/octo/hello/issues/3#c) on [issue #3 " +
					"Bug](https://github.com/octo/hello/issues/3).\n\n```quote\nHm\n```"}},
		{"github", "X-GitHub-Event: release", nil,
			`{"action":"published","release":{"tag_name":"v1","name":null,"html_url":"https://x.org/v1"},` + ghRepo + `}`,
			Message{"release", "hello", "octocat published release [v1](https://x.org/v1)."}},
		{"github", "X-GitHub-Event: workflow_run", nil, `{"action":"completed","workflow_run":{"name":"CI",` +
			`"conclusion":"failure","html_url":"https://x.org/1","head_sha":"0d1a26e67d8f5eaf","head_branch":"main"},` + ghRepo +
			`}`,
			Message{"workflow_run", "hello", "The workflow run [CI](https://x.org/1) on `0d1a26e67d8`: failure."}},
		{"github", "X-GitHub-Event: star", nil, `{"action":"created",` + ghRepo + `}`,
			Message{"star", "hello", "octocat starred [octo/hello](https://github.com/octo/hello)."}},
		{"github", "X-GitHub-Event: create", nil, `{"ref":"x","ref_type":"branch",` + ghRepo + `}`,
			Message{"create", "hello", "octocat created branch `x`."}},
	})
	// GitHub can be configured to send forms, with the JSON in a field.
	s := sample{header: "X-GitHub-Event: push"}
	r := s.request()
	r.Type, r.Payload = "application/x-www-form-urlencoded", push
	if m, err := find(t, "github").Format(r); err != nil || m.Topic != "hello / main" {
		t.Errorf("form: %v, %v", m, err)
	}
}

func TestGitea(t *testing.T) {
	const repo = `"repository":{"id":1,"name":"hello","full_name":"gitea/hello",` +
		`"html_url":"https://try.gitea.io/gitea/hello","private":false},"sender":{"login":"gitea"}`
	push := `{"ref":"refs/heads/develop","before":"28e1","after":"bffe","compare_url":"https://try.gitea.io/c",
		"total_commits":30,
		"commits":[{"id":"bffeb74224043ba2feb48d137756c8a9331c449a","message":"Webhooks!",
		"url":"https://try.gitea.io/b"}],` + repo + `}`
	want := Message{"push", "hello / develop", "gitea [pushed 30 commits](https://try.gitea.io/c) to branch " +
		"`develop`.\n* Webhooks! ([bffeb742240](https://try.gitea.io/b))"}
	pr := `{"action":"reviewed","number":2,"pull_request":{"number":2,"title":"T","html_url":"https://try.gitea.io/2"},` +
		`"review":{"type":"pull_request_review_approved","content":"Good"},` + repo + `}`
	approved := Message{"pull_request_approved", "hello / PR #2 T",
		"gitea approved [PR #2 T](https://try.gitea.io/2).\n\n```quote\nGood\n```"}
	run(t, []sample{
		{"gitea", "X-Gitea-Event: push", nil, push, want},
		{"forgejo", "X-Forgejo-Event: push", nil, push, want},
		{"forgejo", "X-Gitea-Event: pull_request_approved", nil, pr, approved},
		{"gitea", "X-Gitea-Event: pull_request_approved", nil, pr, approved},
		{"gitea", "X-Gitea-Event: issue_assign", nil,
			`{"action":"assigned","issue":{"number":1,"title":"I","html_url":"https://try.gitea.io/1"},` + repo + `}`,
			Message{"issues", "hello / issue #1 I", "gitea assigned [issue #1 I](https://try.gitea.io/1)."}},
	})
}

func TestGitLab(t *testing.T) {
	const project = `"project":{"id":15,"name":"Diaspora","web_url":"http://example.com/mike/diaspora",` +
		`"visibility_level":0}`
	push := `{"object_kind":"push","event_name":"push","before":"95790bf891e76fee5e1747ab589903a6a1f80f22",
		"after":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
		"ref":"refs/heads/main","user_name":"John Smith",` + project + `,
			"commits":[{"id":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7","message":"fixed readme",
		"url":"http://example.com/mike/diaspora/commit/da15"}],"total_commits_count":4}`
	run(t, []sample{
		{"gitlab", "X-Gitlab-Event: Push Hook", nil, push, Message{"Push Hook", "Diaspora / main",
			"John Smith [pushed 4 " +
				"commits](http://example.com/mike/diaspora/-/compare/" +
				"95790bf891e76fee5e1747ab589903a6a1f80f22...da1560886d4f094c3e6c9ef40349f7d38b5d27d7) to branch `main`.\n" +
				"* fixed readme ([da1560886d4](http://example.com/mike/diaspora/commit/da15))"}},
		{"gitlab", "X-Gitlab-Event: Push Hook", map[string]string{"ignore_private_repositories": "true"}, push,
			Message{Event: "Push Hook"}},
		{"gitlab", "X-Gitlab-Event: Tag Push Hook", nil,
			`{"object_kind":"tag_push","before":"0000","after":"82b3","ref":"refs/tags/v1.0.0","user_name":"John Smith",` +
				project + `}`,
			Message{"Tag Push Hook", "Diaspora", "John Smith pushed tag `v1.0.0`."}},
		{"gitlab", "X-Gitlab-Event: Issue Hook", nil, `{"object_kind":"issue","user":{"name":"Admin"},` + project +
			`,"object_attributes":{"id":301,"iid":23,"title":"New API",
			"description":"Create it","url":"http://example.com/i/23","action":"open"}}`,
			Message{"Issue Hook", "Diaspora / issue #23 New API",
				"Admin opened [issue #23 New API](http://example.com/i/23).\n\n```quote\nCreate it\n```"}},
		{"gitlab", "X-Gitlab-Event: Merge Request Hook", nil, `{"object_kind":"merge_request","user":{"name":"Admin"},` +
			project + `,"object_attributes":{"iid":1,"title":"MS","url":"http://example.com/m/1",
			"action":"merge","source_branch":"a","target_branch":"main"}}`,
			Message{"Merge Request Hook", "Diaspora / MR !1 MS", "Admin merged [MR !1 MS](http://example.com/m/1)."}},
		{"gitlab", "X-Gitlab-Event: Note Hook", nil, `{"object_kind":"note","user":{"name":"Admin"},` + project +
			`,"object_attributes":{"note":"Fine","noteable_type":"MergeRequest","url":"http://example.com/n"},
			"merge_request":{"iid":1,"title":"MS","url":"http://example.com/m/1"}}`,
			Message{"Note Hook", "Diaspora / MR !1 MS",
				"Admin [commented](http://example.com/n) on [MR !1 MS](http://example.com/m/1).\n\n```quote\nFine\n```"}},
		{"gitlab", "X-Gitlab-Event: Pipeline Hook", nil, `{"object_kind":"pipeline","user":{"name":"Admin"},` + project +
			`,"object_attributes":{"id":31,"ref":"main","status":"success"}}`,
			Message{"Pipeline Hook", "Diaspora / main",
				"[Pipeline 31](http://example.com/mike/diaspora/-/pipelines/31) on `main`: success."}},
		{"gitlab", "X-Gitlab-Event: Job Hook", nil, `{"object_kind":"build","ref":"main","build_name":"test",` +
			`"build_status":"failed","user":{"name":"Admin"},"repository":{"name":"gitlab_test"}}`,
			Message{"Job Hook", "gitlab_test / main", "Job `test` on `main`: failed."}},
		{"gitlab", "X-Gitlab-Event: Release Hook", nil,
			`{"object_kind":"release","action":"create","name":"v1.1","tag":"v1.1","url":"http://example.com/r",` + project +
				`}`,
			Message{"Release Hook", "Diaspora", "Release [v1.1](http://example.com/r): created."}},
	})
}
