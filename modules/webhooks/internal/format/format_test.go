package format

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// sample is a shortened payload from the documentation of a service, and the expected message.
type sample struct {
	integration string
	header      string // "Name: value"
	params      map[string]string
	body        string
	want        Message
}

func find(t *testing.T, name string) Integration {
	t.Helper()
	i := slices.IndexFunc(All(), func(one Integration) bool { return one.Name == name })
	if i < 0 {
		t.Fatalf("no integration %s", name)
	}
	return All()[i]
}

func (s sample) request() Request {
	r := Request{Type: "application/json", Body: []byte(s.body), Headers: map[string]string{}, Params: s.params}
	if name, value, ok := strings.Cut(s.header, ": "); ok {
		r.Headers[name] = value
	}
	return r
}

func run(t *testing.T, all []sample) {
	t.Helper()
	for _, s := range all {
		got, err := find(t, s.integration).Format(s.request())
		skipped := errors.Is(err, ErrSkip)
		if err != nil && !skipped || skipped != (s.want.Content == "") || got != s.want {
			t.Errorf("%s %s\n%s\ngives %#v, %v\nwant  %#v", s.integration, s.header, s.body, got, err, s.want)
		}
		checkTypos(t, s)
	}
}

// Every integration is listed once with sorted event names, and rejects foreign payloads without a panic.
func TestIntegrations(t *testing.T) {
	names := map[string]bool{}
	for _, one := range All() {
		if names[one.Name] || one.Display == "" || !slices.IsSorted(one.Events) || one.Events != nil && len(one.Events) == 0 {
			t.Errorf("%s: bad entry", one.Name)
		}
		names[one.Name] = true
		for _, h := range []string{"", "push", "Push Hook", "issue", "Issue Hook", "Note Hook", "pull_request",
			"pull_request_review", "release", "issues"} {
			r := Request{Headers: map[string]string{}}
			for _, name := range Headers {
				r.Headers[name] = h
			}
			for _, body := range []string{"", "{", "[]", "5", "null", "{}", `{"repository":{}}`, `{"object_kind":"x"}`,
				`{"event":{}}`, `{"alerts":[{}]}`,
				`{"data":{}}`, `{"build":{},"name":"x"}`, `{"type":"x"}`, `{"webhookEvent":"x","issue":{}}`,
				`{"heartbeat":{"status":9},"monitor":{},"msg":""}`} {
				r.Body = []byte(body)
				_, err := one.Format(r)
				if body == "{" && one.Name != "slack_incoming" && err == nil {
					t.Errorf("%s takes %q", one.Name, body)
				}
				if strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}") && errors.As(err, new(JSONError)) {
					t.Errorf("%s: %s is not JSON: %v", one.Name, body, err)
				}
			}
		}
	}
}

func TestUnsupported(t *testing.T) {
	for _, s := range []sample{
		{integration: "github", header: "X-GitHub-Event: workflow_job", body: `{"repository":{"name":"a"}}`},
		{integration: "gitlab", header: "X-Gitlab-Event: Deployment Hook", body: `{"object_kind":"deployment"}`},
		{integration: "gitea", header: "X-Gitea-Event: wiki", body: `{"repository":{"name":"a"}}`},
		{integration: "sentry", header: "Sentry-Hook-Resource: installation", body: `{"action":"created","data":{}}`},
		{integration: "jira", body: `{"webhookEvent":"jira:version_released"}`},
		{integration: "pagerduty", body: `{"event":{"event_type":"service.created","data":{}}}`},
		{integration: "circleci", body: `{"type":"deploy-completed"}`},
		{integration: "stripe", body: `{"type":"issuing_card.created","data":{"object":{}}}`},
		{integration: "jenkins", body: `{"name":"a","build":{"phase":"DREAMING"}}`},
		{integration: "uptimekuma", body: `{"heartbeat":{"status":9},"monitor":{"name":"a"},"msg":""}`},
	} {
		var unsupported UnsupportedError
		if m, err := find(t, s.integration).Format(s.request()); !errors.As(err, &unsupported) || unsupported.Event == "" {
			t.Errorf("%s %s: %v, %v", s.integration, s.header, m, err)
		}
	}
	for _, name := range []string{"github", "gitlab", "gitea", "forgejo"} {
		var missing HeaderError
		if _, err := find(t, name).Format(Request{Body: []byte("{}")}); !errors.As(err, &missing) {
			t.Errorf("%s without a header: %v", name, err)
		}
	}
	for _, name := range []string{"alertmanager", "grafana", "sentry", "uptimekuma", "jira", "pagerduty", "jenkins",
		"circleci", "stripe"} {
		var anomalous AnomalousError
		if _, err := find(t, name).Format(Request{Body: []byte(`{"hello":"world"}`)}); !errors.As(err, &anomalous) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSigned(t *testing.T) {
	const body = `{"a":1}`
	hex := hmacHex("secret", body)
	for name, header := range map[string]string{
		"github": "X-Hub-Signature-256: sha256=" + hex, "gitea": "X-Gitea-Signature: " + hex,
		"forgejo": "X-Forgejo-Signature: " + hex,
		"gitlab":  "X-Gitlab-Token: secret", "sentry": "Sentry-Hook-Signature: " + hex,
		"jira":      "X-Hub-Signature: sha256=" + hex,
		"pagerduty": "X-PagerDuty-Signature: v1=aa,v1=" + hex, "circleci": "Circleci-Signature: v1=" + hex,
		"stripe":  "Stripe-Signature: t=12,v1=" + hmacHex("secret", "12."+body) + ",v0=x",
		"grafana": "X-Grafana-Alerting-Signature: " + hex,
	} {
		s := sample{integration: name, header: header, body: body}
		one := find(t, name)
		if !one.Verify(s.request(), "secret") {
			t.Errorf("%s: a valid signature was refused", name)
		}
		if one.Verify(s.request(), "other") || one.Verify(Request{Body: []byte(body)}, "secret") {
			t.Errorf("%s: an invalid signature was accepted", name)
		}
	}
}

func TestText(t *testing.T) {
	for got, want := range map[string]string{
		link("a [b]\nc", "https://x.org/(y) z"): "[a (b) c](https://x.org/%28y%29%20z)",
		link("a", "javascript:alert(1)"):        "a", link("", "https://x.org/a"): "[x.org](https://x.org/a)",
		code("a`b"): "`a'b`", quote(" "): "", quote("a\n```\nb"): "\n\n````quote\na\n```\nb\n```\n````",
		truncate("äöü", 2): "ä…",
		slackMarkdown("*a b* _c_ ~d~ <https://x.org|e> <https://x.org> `*f*` a*b*c &lt;x&gt;"): "**a b** *c* ~~d~~ " +
			"[e](https://x.org) https://x.org `*f*` a*b*c <x>",
		money(1234, "usd"): "12.34 USD", money(-5, "eur"): "-0.05 EUR", money(500, "jpy"): "500 JPY",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
