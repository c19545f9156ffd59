package format

import (
	"errors"
	"testing"
)

func TestAlertmanager(t *testing.T) {
	body := `{"version":"4","groupKey":"{}:{alertname=\"High\"}","truncatedAlerts":0,"status":"firing","receiver":"chat",
		"groupLabels":{"alertname":"High"},
		"commonLabels":{"alertname":"High","job":"node"},"commonAnnotations":{},"externalURL":"http://am:9093","alerts":[
		{"status":"firing","labels":{"alertname":"High","instance":"a:9100"},"annotations":{"summary":"CPU of a"},
		"startsAt":"2026-01-01T00:00:00Z",
			"endsAt":"0001-01-01T00:00:00Z","generatorURL":"http://prom:9090/graph","fingerprint":"1"},
		{"status":"resolved","labels":{"alertname":"High","instance":"b:9100","job":"node"},"annotations":{},
		"generatorURL":"","fingerprint":"2"}]}`
	run(t, []sample{
		{"alertmanager", "", nil, body, Message{"", "High", ":alert: **FIRING** (1)\n* [CPU of " +
			"a](http://prom:9090/graph)\n\n:squared_ok: **RESOLVED** (1)\n* instance=b:9100, job=node"}},
		{"alertmanager", "", map[string]string{"name": "job", "desc": "none"}, body, Message{"", "node",
			":alert: **FIRING** (1)\n* [alertname=High, instance=a:9100](http://prom:9090/graph)\n\n:squared_ok: **RESOLVED** " +
				"(1)\n* alertname=High, instance=b:9100"}},
	})
}

func TestGrafana(t *testing.T) {
	run(t, []sample{
		{"grafana", "", nil, `{"receiver":"chat","status":"firing","orgId":1,"alerts":[{"status":"firing",
			"labels":{"alertname":"T1","team":"blue"},"annotations":{"summary":"Hot"},
			"startsAt":"2018-08-03T09:52:26Z","generatorURL":"http://g/alert","fingerprint":"c","silenceURL":"http://g/silence",
			"dashboardURL":"","panelURL":"","valueString":"[ metric='foo' value=10 ]"}],
			"groupLabels":{},"commonLabels":{"team":"blue"},"commonAnnotations":{},"externalURL":"http://g/","version":"1",
			"groupKey":"k","title":"[FIRING:1] T1","state":"alerting","message":"**Firing**"}`,
			Message{"firing", "T1", ":alert: **FIRING** [T1](http://g/alert)\nHot\nValues: `[ metric='foo' value=10 " +
				"]`\n[Silence](http://g/silence)"}},
		{"grafana", "", nil, `{"evalMatches":[{"value":100,"metric":"High value","tags":null}],"message":"Look","ruleId":1,` +
			`"ruleName":"Panel Title alert","ruleUrl":"http://g/d/1","state":"alerting","title":"[Alerting] Panel Title alert"}`,
			Message{"alerting", "Panel Title alert",
				"**ALERTING** [(Alerting) Panel Title alert](http://g/d/1)\n\nLook\n* **High value:** 100"}},
	})
}

func TestSentry(t *testing.T) {
	run(t, []sample{
		{"sentry", "Sentry-Hook-Resource: issue", nil,
			`{"action":"created","installation":{"uuid":"a"},"data":{"issue":{"id":"1","shortId":"IP-1","title":"Error: x",
				"culprit":"?(runner)","level":"error",
			"web_url":"https://sentry.io/1/","project":{"id":"1","name":"ipsum","slug":"ipsum"}}},"actor":{"type":"application",
			"id":"sentry","name":"Sentry"}}`,
			Message{"issue", "ipsum", "**New issue:** [Error: x](https://sentry.io/1/)\nWhere: `?(runner)`\nLevel: error"}},
		{"sentry", "Sentry-Hook-Resource: issue", nil, `{"action":"resolved","data":{"issue":{"title":"Error: x",` +
			`"permalink":"https://sentry.io/1/","project":{"slug":"ipsum"}}},"actor":{"type":"user","name":"Ann"}}`,
			Message{"issue", "ipsum", "**Resolved by Ann:** [Error: x](https://sentry.io/1/)"}},
		{"sentry", "Sentry-Hook-Resource: event_alert", nil, `{"action":"triggered","data":{"event":{"title":"Boom",` +
			`"web_url":"https://sentry.io/e","level":"fatal","project":1},"triggered_rule":"High"}}`,
			Message{"event_alert", "Boom", "**Alert `High`:** [Boom](https://sentry.io/e)\nLevel: fatal"}},
		{"sentry", "Sentry-Hook-Resource: metric_alert", nil, `{"action":"critical","data":{"description_title":"Critical: ` +
			`latency","description_text":"p95 > 1 s","web_url":"https://sentry.io/m","metric_alert":{}}}`,
			Message{"metric_alert", "Critical: latency",
				"**CRITICAL** [Critical: latency](https://sentry.io/m)\n\n```quote\np95 > 1 s\n```"}},
		{"sentry", "", nil, `{"project":"ipsum","project_name":"Ipsum","message":"Boom","culprit":"f","level":"error",` +
			`"url":"https://sentry.io/1","event":{}}`,
			Message{"error", "Ipsum", "**New issue:** [Boom](https://sentry.io/1)\nWhere: `f`\nLevel: error"}},
	})
}

func TestUptimeKuma(t *testing.T) {
	run(t, []sample{
		{"uptimekuma", "", nil, `{"heartbeat":{"monitorID":3,"status":0,"time":"2026-01-01 00:00:00",
			"msg":"connect ECONNREFUSED","important":true,"duration":60},
			"monitor":{"id":3,"name":"Shop","url":"https://shop.example.com","type":"http"},"msg":"[Shop] [Down]"}`,
			Message{"down", "Shop", ":cross_mark: [Shop](https://shop.example.com) is down.\n\n```quote\nconnect " +
				"ECONNREFUSED\n```"}},
		{"uptimekuma", "", nil, `{"heartbeat":{"status":1,"msg":""},"monitor":{"name":"Shop","url":"https://"},"msg":"x"}`,
			Message{"up", "Shop", ":check: Shop is up."}},
		{"uptimekuma", "", nil, `{"heartbeat":null,"monitor":null,"msg":"My Webhook Testing"}`,
			Message{"test", "Uptime Kuma", "My Webhook Testing"}},
	})
}

func TestJira(t *testing.T) {
	issue := `"issue":{"id":"1","self":"https://x.atlassian.net/rest/api/2/issue/1","key":"BUG-15",` +
		`"fields":{"summary":"New bug","priority":{"name":"Major"},"assignee":{"displayName":"Leo"},` +
		`"status":{"name":"Open"}}}`
	const link = "[BUG-15 New bug](https://x.atlassian.net/browse/BUG-15)"
	run(t, []sample{
		{"jira", "", nil, `{"timestamp":1,"webhookEvent":"jira:issue_created","user":{"displayName":"Ann"},` + issue + `}`,
			Message{"jira:issue_created", "BUG-15: New bug", "Ann created " + link + "\n* Priority: Major\n* Assignee: Leo"}},
		{"jira", "", nil, `{"webhookEvent":"jira:issue_updated","user":{"displayName":"Ann"},` + issue +
			`,"changelog":{"items":[{"field":"status","fromString":"Open","toString":"Done"},` +
			`{"field":"assignee","fromString":null,"toString":"Leo"}]}}`,
			Message{"jira:issue_updated", "BUG-15: New bug",
				"Ann updated " + link + "\n* status: `Open` → `Done`\n* assignee: none → `Leo`"}},
		{"jira", "", nil, `{"webhookEvent":"comment_created",` + issue + `,"comment":{"author":{"displayName":"Bob"},` +
			`"body":"Hm"}}`, Message{"comment_created", "BUG-15: New bug",
			"Bob commented on " + link + ".\n\n```quote\nHm\n```"}},
	})
}

func TestPagerDuty(t *testing.T) {
	run(t, []sample{
		{"pagerduty", "", nil, `{"event":{"id":"1","event_type":"incident.triggered","resource_type":"incident",
			"occurred_at":"2020-10-02T18:45:22Z","agent":{"html_url":"https://acme.pagerduty.com/users/P1","id":"P1",
			"summary":"Tenex"},
			"data":{"id":"P2","type":"incident","html_url":"https://acme.pagerduty.com/incidents/P2","number":2,
			"status":"triggered","title":"A little bump","service":{"html_url":"https://acme.pagerduty.com/services/P3",
			"summary":"API"},
			"assignees":[{"html_url":"https://acme.pagerduty.com/users/P4","summary":"Ann"}],"urgency":"high"}}}`,
			Message{"incident.triggered", "A little bump",
				"Incident [#2 A little bump](https://acme.pagerduty.com/incidents/P2) triggered by " +
					"[Tenex](https://acme.pagerduty.com/users/P1).\nAssigned to " +
					"[Ann](https://acme.pagerduty.com/users/P4).\nService: [API](https://acme.pagerduty.com/services/P3)."}},
		{"pagerduty", "", nil, `{"event":{"event_type":"incident.annotated","data":{"incident":{"summary":"A little bump",` +
			`"html_url":"https://acme.pagerduty.com/incidents/P2"},"content":"On it","type":"incident_note"}}}`,
			Message{"incident.annotated", "A little bump",
				"Note on [A little bump](https://acme.pagerduty.com/incidents/P2).\n\n```quote\nOn it\n```"}},
		{"pagerduty", "", nil, `{"event":{"event_type":"pagey.ping","data":{"message":"Hello from your friend Pagey!",` +
			`"type":"ping"}}}`, Message{"pagey.ping", "PagerDuty", "Hello from your friend Pagey!"}},
	})
}

func TestCI(t *testing.T) {
	run(t, []sample{
		{"jenkins", "", nil, `{"name":"asgard","display_name":"asgard","url":"job/asgard/",
			"build":{"full_url":"http://ci/job/asgard/18/","number":18,"queue_id":1,"phase":"FINALIZED","status":"SUCCESS",
			"url":"job/asgard/18/",
			"scm":{"url":"https://x.org/a.git","branch":"origin/main","commit":"c6d86dc654b12425e706bcf951adfe5a8627a517"}}}`,
			Message{"finalized", "asgard",
				":check: Build [asgard #18](http://ci/job/asgard/18/): success.\nBranch `origin/main`, commit `c6d86dc654b`"}},
		{"jenkins", "", nil, `{"name":"asgard","build":{"full_url":"http://ci/job/asgard/18/","number":18,` +
			`"phase":"COMPLETED","status":"SUCCESS"}}`, Message{"completed", "asgard", ""}},
		{"jenkins", "", nil, `{"name":"asgard","build":{"full_url":"http://ci/job/asgard/18/","number":18,` +
			`"phase":"STARTED"}}`, Message{"started", "asgard", "Build [asgard #18](http://ci/job/asgard/18/) has started."}},
		{"circleci", "", nil, `{"id":"1","type":"workflow-completed","happened_at":"2021-09-01T22:49:34Z","webhook":{"id":"2",
			"name":"Chat"},"project":{"id":"3","name":"hello","slug":"github/octo/hello"},"organization":{"name":"octo"},
			"workflow":{"id":"4","name":"build","status":"failed","url":"https://app.circleci.com/w/4"},"pipeline":{"id":"5",
			"number":130,"vcs":{"revision":"1dc6aa69429bff4806ad6afe58d3d8f57e25973e","branch":"main",
			"commit":{"subject":"Fix"}}}}`,
			Message{"workflow-completed", "hello / main",
				":cross_mark: Workflow [build](https://app.circleci.com/w/4) of pipeline 130: failed.\nCommit `1dc6aa69429` Fix"}},
		{"circleci", "", nil, `{"type":"ping","webhook":{"name":"Chat"}}`,
			Message{"ping", "CircleCI", "The webhook `Chat` has been configured."}},
	})
}

func TestStripe(t *testing.T) {
	run(t, []sample{
		{"stripe", "", nil, `{"id":"evt_1","object":"event","api_version":"2020-08-27","created":1,"livemode":false,
			"type":"charge.succeeded","data":{"object":{"id":"ch_1","object":"charge","amount":1000,"currency":"usd",
			"customer":"cus_1",
			"description":"Tea","status":"succeeded"}}}`,
			Message{"charge.succeeded", "cus_1",
				"[charge ch_1](https://dashboard.stripe.com/test/search?query=ch_1): " +
					"succeeded (10.00 USD).\nTea\nStatus: succeeded"}},
		{"stripe", "", nil, `{"type":"invoice.payment_failed","livemode":true,"data":{"object":{"id":"in_1",` +
			`"object":"invoice","amount_due":500,"currency":"jpy","hosted_invoice_url":"https://invoice.stripe.com/i/1"}}}`,
			Message{"invoice.payment_failed", "in_1",
				"[invoice in_1](https://invoice.stripe.com/i/1): payment failed (500 JPY)."}},
	})
}

func TestJSON(t *testing.T) {
	run(t, []sample{
		{"json", "", nil, `{"b":1,"a":"x<y"}`, Message{"", "JSON", "```json\n{\n  \"a\": \"x<y\",\n  \"b\": 1\n}\n```"}},
		{"json", "", map[string]string{"template": "**{{alert.name}}**", "topic_template": "{{alert.state}}!"},
			`{"alert":{"name":"CPU","state":"hot"}}`, Message{"", "hot!", "**CPU**"}},
	})
}

func TestSlack(t *testing.T) {
	run(t, []sample{
		{"slack_incoming", "", nil, `{"text":"*Done* <https://x.org|here>","channel":"#ops","icon_emoji":":ok:",` +
			`"username":"bot"}`, Message{"", "ops", ":ok: **Done** [here](https://x.org)"}},
		{"slack_incoming", "", nil, `{"text":"fallback","blocks":[{"type":"header","text":{"type":"plain_text",
			"text":"News"}},{"type":"section","text":{"type":"mrkdwn","text":"_hi_"},"fields":[{"type":"mrkdwn","text":"*a*"}]},
			{"type":"actions","elements":[]},{"type":"context","elements":[{"type":"mrkdwn","text":"ctx"},{"type":"image",
			"image_url":"https://x.org/i.png","alt_text":"pic"}]},{"type":"divider"},{"type":"image",
			"image_url":"https://x.org/j.png","alt_text":"j"}]}`,
			Message{"", "", "## News\n\n*hi*\n* **a**\n\nctx\n[pic](https://x.org/i.png)\n\n----\n\n[j](https://x.org/j.png)"}},
		{"slack_incoming", "", nil, `{"attachments":[{"title":"T","title_link":"https://x.org","pretext":"pre",` +
			`"text":"text","fields":[{"title":"F","value":"1","short":true}],"image_url":"https://x.org/i.png",` +
			`"footer":"foot","ts":123456789}]}`,
			Message{"", "", "## [T](https://x.org)\n\npre\n\ntext\n\n* **F**: " +
				"1\n\n[Image](https://x.org/i.png)\n\nfoot\n\n<time:123456789>"}},
	})
	var missing MissingError
	if _, err := find(t, "slack_incoming").Format(Request{}); !errors.As(err, &missing) {
		t.Errorf("nothing: %v", err)
	}
	if m, err := find(t, "slack_incoming").Format(Request{Payload: `{"text":"x"}`}); err != nil || m.Content != "x" {
		t.Errorf("form: %v, %v", m, err)
	}
}
