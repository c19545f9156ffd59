package webhooks_test

import "testing"

// Fields of several types, and events that used to be dropped.
func TestMonitoringTypes(t *testing.T) {
	h := start(t, "")
	h.posts(t, []delivery{
		{"grafana", "", `{"receiver":"chat","status":"firing","orgId":1,"alerts":[{"status":"firing","labels":{
			"alertname":"Hot","zone":4,"on":true,"none":null},"annotations":{},"generatorURL":"http://g/a","values":{"B":44.5,
			"C":"NaN","D":null},"valueString":null,"silenceURL":"","imageURL":"http://g/i.png"},null],"commonLabels":{
			"alertname":7},"groupLabels":[],"title":"[FIRING:1] Hot"}`, "7",
			":alert: **FIRING** [Hot](http://g/a)\non=true, zone=4\nValues: `B=44.5, C=NaN`\n[Image](http://g/i.png)"},
		{"grafana", "", `{"evalMatches":[{"value":"NaN","metric":"cpu","tags":null},{"value":null,"metric":"mem"},
			{"value":1e-7,"metric":{"name":"disk"}}],"ruleId":1,"ruleName":"Load","ruleUrl":"http://g/d","state":"alerting",
			"title":404,"message":null,"imageUrl":[]}`, "Load",
			"**ALERTING** [404](http://g/d)\n* **cpu:** NaN\n* **mem:** no value\n* **disk:** 1e-7"},
		{"grafana", "", `{"status":"resolved","alerts":[],"message":"All good"}`, "alerts",
			"**RESOLVED** alert\n\nAll good"},
		{"alertmanager", "", `{"version":4,"status":"firing","groupLabels":{"alertname":"Full"},"alerts":[{"status":"firing",
			"labels":{"alertname":"Full","shard":12},"annotations":{"summary":null}},{"status":"suppressed",
			"annotations":{"summary":503},"labels":null}],"truncatedAlerts":"3"}`, "Full",
			":alert: **FIRING** (1)\n* shard=12\n\n:info: **SUPPRESSED** (1)\n* 503\n\n3 alerts left out."},
		{"alertmanager", "", `{"status":"resolved","alerts":[],"commonLabels":{"alertname":"Full","disk":0},
			"externalURL":"http://am"}`, "Full", ":squared_ok: **RESOLVED** (1)\n* [disk=0](http://am)"},
		// The plugin of Sentry.
		{"sentry", "", `{"id":"1","project":"shop","project_name":"Shop","project_slug":"shop","message":"","culprit":"f",
			"level":"error","url":"https://sentry.io/1","event":{"title":"TypeError: x is undefined","message":""}}`, "Shop",
			"**New issue:** [TypeError: x is undefined](https://sentry.io/1)\nWhere: `f`\nLevel: error"},
		{"sentry", "", `{"project":"shop","message":null,"level":40,"url":null,"event":{"title":null,"metadata":{
			"type":"ValueError","value":"bad"},"web_url":"https://sentry.io/2","culprit":"g"}}`, "shop",
			"**New issue:** [ValueError: bad](https://sentry.io/2)\nWhere: `g`\nLevel: 40"},
		{"sentry", "Sentry-Hook-Resource: issue", `{"action":"priority_changed","data":{"issue":{"title":"E",
			"permalink":"https://sentry.io/1","project":"shop"}},"actor":"Ann"}`, "shop",
			"**Issue priority changed by Ann:** [E](https://sentry.io/1)"},
		{"sentry", "Sentry-Hook-Resource: seer", `{"action":"started","data":{"issue":{"title":"E","project":"shop"}}}`,
			"shop", "**Issue started:** E"},
		{"jenkins", "", `{"name":"shop","build":{"full_url":"http://ci/8","number":"8","status":"FAILURE","scm":[]}}`, "shop",
			":cross_mark: Build [shop #8](http://ci/8): failure."},
		{"circleci", "", `{"type":"workflow-completed","project":"shop","workflow":{"name":"build","status":"success"},
			"pipeline":{"number":"130","trigger_parameters":{"gitlab":{"branch":"main","commit_sha":"1dc6aa69429bff",
			"commit_title":"Fix"}}}}`, "shop / main",
			":check: Workflow build of pipeline 130: success.\nCommit `1dc6aa69429` Fix"},
		{"uptimekuma", "", `{"heartbeat":{"status":"0","msg":504},"monitor":{"name":12,"url":null}}`, "12",
			":cross_mark: 12 is down.\n\n```quote\n504\n```"},
		{"uptimekuma", "", `{"heartbeat":{"status":7,"msg":""},"monitor":{"name":"Shop"},"msg":"[Shop] strange"}`, "Shop",
			"[Shop] strange"},
	})
}

func TestIncidentsAndPayments(t *testing.T) {
	h := start(t, "")
	pd := func(event, data string) string {
		return `{"event":{"event_type":"` + event + `","agent":{"summary":"Ann","html_url":null},"data":` + data + `}}`
	}
	h.posts(t, []delivery{
		{"pagerduty", "", pd("incident.responder.added", `{"incident":{"summary":"Bump","html_url":"https://pd/2"},
			"user":{"summary":"Bob"},"message":"Please help"}`), "Bump",
			"Incident [Bump](https://pd/2): added a responder by Ann.\nBob\n\n```quote\nPlease help\n```"},
		{"pagerduty", "", pd("incident.status_update_published", `{"incident":{"summary":"Bump"},"message":5}`), "Bump",
			"Incident Bump: published a status update by Ann.\n\n```quote\n5\n```"},
		{"pagerduty", "", pd("incident.priority_updated", `{"number":"2","title":"Bump","priority":"P1","assignees":null}`),
			"Bump", "Incident #2 Bump changed priority to P1 by Ann."},
		{"pagerduty", "", pd("incident.future_thing", `{"number":2,"title":"Bump","html_url":"https://pd/2"}`), "Bump",
			"Incident [#2 Bump](https://pd/2) future thing by Ann."},
		{"pagerduty", "", pd("service.updated", `{"summary":"API","html_url":"https://pd/s"}`), "API",
			"Service [API](https://pd/s) updated by Ann."},
		{"stripe", "", `{"type":"issuing_card.created","livemode":"true","data":{"object":{"id":"ic_1",
			"object":"issuing.card","status":"active"}}}`, "ic_1",
			"[issuing card ic_1](https://dashboard.stripe.com/search?query=ic_1): created.\nStatus: active"},
		{"stripe", "", `{"type":"checkout.session.completed","livemode":true,"data":{"object":{"id":"cs_1",
			"object":"checkout.session","amount_total":"1999","currency":"eur","customer":{"id":"cus_9","name":"Ann"}}}}`,
			"cus_9", "[checkout session cs_1](https://dashboard.stripe.com/search?query=cs_1): session completed (19.99 EUR)."},
		{"stripe", "", `{"type":"customer.updated","livemode":true,"data":{"object":{"id":"cus_1","object":"customer",
			"name":null},"previous_attributes":{"phone":null,"email":"a@x.org"}}}`, "cus_1",
			"[customer cus_1](https://dashboard.stripe.com/search?query=cus_1): updated.\nChanged: `email, phone`"},
		{"stripe", "", `{"object":"v2.core.event","type":"v2.core.account.updated","livemode":true,
			"related_object":{"id":"acct_1","type":"v2.core.account","url":"/v2/core/accounts/acct_1"}}`, "acct_1",
			"[v2 acct_1](https://dashboard.stripe.com/search?query=acct_1): core account updated."},
	})
}
