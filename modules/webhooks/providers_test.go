package webhooks_test

import "testing"

func TestJiraDocuments(t *testing.T) {
	h := start(t, "")
	const issue = `"issue":{"id":"1","self":"https://x.atlassian.net/rest/api/2/issue/1","key":"BUG-15",` +
		`"fields":{"summary":"New bug","priority":null,"assignee":[]}}`
	const topic, link = "BUG-15: New bug", "[BUG-15 New bug](https://x.atlassian.net/browse/BUG-15)"
	const doc = `{"type":"doc","version":1,"content":[
		{"type":"paragraph","content":[{"type":"text","text":"See "},
		{"type":"text","text":"this","marks":[{"type":"strong"},{"type":"link","attrs":{"href":"https://x.org"}}]},
		{"type":"hardBreak"},{"type":"mention","attrs":{"id":"5","text":"@Ann"}},{"type":"text","text":" "},
		{"type":"emoji","attrs":{"shortName":":wave:","text":"👋"}},{"type":"text","text":" by "},
		{"type":"date","attrs":{"timestamp":"1700000000000"}},{"type":"text","text":" "},
		{"type":"status","attrs":{"text":"BLOCKED","color":"red"}},{"type":"text","text":" "},
		{"type":"inlineCard","attrs":{"url":"https://x.org/card"}},
		{"type":"text","text":" ls ","marks":[{"type":"code"}]}]},
		{"type":"heading","attrs":{"level":2},"content":[{"type":"text","text":"Steps"}]},
		{"type":"bulletList","content":[{"type":"listItem","content":[
		{"type":"paragraph","content":[{"type":"text","text":"one"}]},
		{"type":"orderedList","attrs":{"order":3},"content":[{"type":"listItem","content":[
		{"type":"paragraph","content":[{"type":"text","text":"nested"}]}]}]}]}]},
		{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"DONE"},"content":[
		{"type":"text","text":"did"}]},{"type":"taskItem","attrs":{"state":"TODO"},"content":[
		{"type":"text","text":"do"}]}]},
		{"type":"panel","attrs":{"panelType":"info"},"content":[{"type":"paragraph","content":[
		{"type":"text","text":"careful"}]}]},
		{"type":"codeBlock","attrs":{"language":"go"},"content":[{"type":"text","text":"a()\nb()"}]},
		{"type":"rule"},
		{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[{"type":"paragraph",
		"content":[{"type":"text","text":"K"}]}]}]},{"type":"tableRow","content":[{"type":"tableCell","content":[
		{"type":"paragraph","content":[{"type":"text","text":"v"}]}]}]}]},
		{"type":"expand","attrs":{"title":"More"},"content":[{"type":"paragraph","content":[
		{"type":"text","text":"inside","marks":[{"type":"em"},{"type":"strike"}]}]}]},
		{"type":"mediaSingle","content":[{"type":"media","attrs":{"type":"file","id":"x","alt":"shot.png"}}]},
		{"type":"futureBlock","content":[{"type":"futureText","text":"kept"}]}]}`
	const text = "\n\n````quote\nSee **[this](https://x.org)**\n@Ann 👋 by 2023-11-14 **BLOCKED** " +
		"https://x.org/card `ls` \n\n## Steps\n\n* one\n  3. nested\n\n* [x] did\n* [ ] do\n\n> careful\n\n" +
		"```go\na()\nb()\n```\n\n----\n\n| K |\n| --- |\n| v |\n\n**More**\n\n~~*inside*~~\n\nshot.png\n\nkept\n````"
	comment := `"comment":{"author":{"displayName":"Bob"},"body":` + doc + `}`
	short := func(text string) string {
		return `{"type":"doc","content":[{"type":"paragraph","content":` + text + `}]}`
	}
	h.posts(t, []delivery{
		{"jira", "", `{"webhookEvent":"comment_created",` + issue + `,` + comment + `}`, topic,
			"Bob commented on " + link + "." + text},
		{"jira", "", `{"webhookEvent":"comment_updated",` + issue + `,"comment":{"author":{"displayName":"Bob"},
			"updateAuthor":{"displayName":"Cy"},"body":` + short(`{"type":"text","text":5}`) + `}}`, topic,
			"Cy edited a comment on " + link + ".\n\n```quote\n5\n```"},
		{"jira", "", `{"webhookEvent":"jira:issue_updated","issue_event_type_name":"issue_commented",
			"user":{"displayName":"Ann"},` + issue + `,` + comment + `}`, topic, "Bob commented on " + link + "." + text},
		{"jira", "", `{"webhookEvent":"jira:issue_updated","user":{"displayName":"Ann"},` + issue + `,"comment":{"body":` +
			short(`[{"type":"text","text":"Hm"}]`) + `},"changelog":{"items":[{"field":"points","fromString":3,"toString":5.5},
			{"field":"labels","fromString":"","toString":["a","b"]}]}}`, topic,
			"Ann updated " + link + "\n* points: `3` → `5.5`\n* labels: none → `a, b`\n\n```quote\nHm\n```"},
		// Updates without a list of changes, and events without an issue, which were dropped.
		{"jira", "", `{"webhookEvent":"jira:issue_updated","user":{"displayName":"Ann"},` + issue + `}`, topic,
			"Ann updated " + link + "."},
		{"jira", "", `{"webhookEvent":"comment_created","comment":{"author":"Bob","body":"text"}}`, "comment",
			"Bob commented on an issue.\n\n```quote\ntext\n```"},
		{"jira", "", `{"webhookEvent":"jira:version_released","version":{"id":"1","name":"2.0","released":true}}`,
			"version 2.0", "Version `2.0`: released."},
		{"jira", "", `{"webhookEvent":"sprint_started","sprint":{"id":4,"name":"Sprint 4","state":"active"}}`,
			"sprint Sprint 4", "Sprint `Sprint 4`: started."},
		{"jira", "", `{"webhookEvent":"worklog_created","worklog":{"author":{"displayName":"Ann"},"timeSpent":"3h",
			"comment":` + short(`[{"type":"text","text":"Digging"}]`) + `}}`, "worklog",
			"Ann created a worklog of 3h on an issue.\n\n```quote\nDigging\n```"},
		{"jira", "", `{"webhookEvent":"issue_property_set","user":{"displayName":"Ann"},` + issue + `}`, topic,
			"Ann: `issue_property_set` on " + link + "."},
	})
}
