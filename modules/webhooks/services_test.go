package webhooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/webhooks"
)

// Services in service files post, check signatures, and name events without a template.
func TestServiceFiles(t *testing.T) {
	h := start(t, "")
	const issue = `{"type":"Issue","action":"create","actor":{"name":"Ann"},"data":{"identifier":"E-1","title":"Bug"},` +
		`"url":"https://linear.app/i/E-1"}`
	sign := func(secret string) string {
		m := hmac.New(sha256.New, []byte(secret))
		m.Write([]byte(issue))
		return "Linear-Signature: " + hex.EncodeToString(m.Sum(nil))
	}
	h.post("linear", "&stream=general&webhook_secret=s", sign("s"), issue).OK()
	if got := h.last(); !strings.HasSuffix(got,
		"/E-1 Bug by ZulipLinearWebhook: Ann created [E-1 Bug](https://linear.app/i/E-1).") {
		t.Errorf("message %s", got)
	}
	h.post("linear", "&stream=general&webhook_secret=s", sign("x"), issue).
		Error(400, "BAD_REQUEST", "The webhook's signature is wrong.")
	h.Skip()
	h.post("bitbucket", "&stream=general&only_events=%5B%22pr:*%22%5D", "X-Event-Key: repo:transfer", `{"a":1}`).OK()
	h.NoEvents()
	h.post("bitbucket", "&stream=general", "X-Event-Key: repo:transfer", `{"repository":{"name":"hello"}}`).OK()
	if got := h.last(); !strings.Contains(got,
		"/hello by ZulipBitbucketWebhook: Bitbucket sent the event `repo:transfer`.") {
		t.Errorf("message %s", got)
	}
}

// Templates in the bot's settings apply if the URL has none.
func TestTemplateInSettings(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: database}, realm.Module, accounts.Module, groups.Module,
			channels.Module, messages.Module, events.Module, bots.Module, webhooks.Module)
		alice := s.As("alice")
		a := alice.Do("POST /bots", "full_name", "Hook", "short_name", "hook", "bot_type", "2", "config_data",
			`{"template":"{{n}} from settings","topic_template":"{{n}}"}`).OK()
		for query, want := range map[string]string{
			"":                             "1: 1 from settings",
			"&template={{n}}%20from%20URL": "1: 1 from URL",
		} {
			c := s.Anonymous()
			path := "POST /external/json?stream=general&api_key=" + a.String("api_key") + query
			c.RoundTrip(c.Request(path, strings.NewReader(`{"n":1}`))).OK()
			last := alice.Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "apply_markdown",
				"false").OK()
			if got := last.String("messages.0.subject") + ": " + last.String("messages.0.content"); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	})
}

// Services that check URLs get the expected responses; nothing is posted.
func TestHandshakes(t *testing.T) {
	h := start(t, "")
	c := h.Anonymous()
	for path, want := range map[string]int{"/external/trello": 200, "/external/github": 405, "/external/none": 404} {
		for _, method := range []string{"GET ", "HEAD "} {
			if a := c.RoundTrip(c.Request(method+path, nil)); a.Status != want {
				t.Errorf("%s%s: %d, want %d", method, path, a.Status, want)
			}
		}
	}
	h.Skip()
	a := h.post("asana", "&stream=general", "X-Hook-Secret: s3cret", "{}").OK()
	if got := a.Header.Get("X-Hook-Secret"); got != "s3cret" {
		t.Errorf("header %q", got)
	}
	h.NoEvents()
}

// Values that a template inserts are text: they mention nobody and form no links, code or commands.
func TestTemplates(t *testing.T) {
	h := start(t, "")
	const hostile = `{"a":{"list":[{"x":"@**all** @_**alice** #**general** [e](https://evil.example) ` +
		"`c` $$m$$ ~~d~~ !avatar(a)" + `","n":5},{"x":"/poll q"}],"empty":[]},"text":"/poll *one*\n* two","state":"bad"}`
	for template, want := range map[string]string{
		"{{a.list.0.n}} {{ state }}{{a.none}}": "5 bad",
		"{{text}}":                             "\u200b/poll ∗one∗\n\u200b∗ two",
		`{{if eq .state "bad"}}:alert: **{{upper .state}}**{{end}}`:                    ":alert: **BAD**",
		"{{range .a.list}}* {{.n}}\n{{end}}":                                           "* 5\n*",
		`{{range $i, $x := .a.list}}{{with .n}}{{$i}}={{.}}{{end}}{{end}}`:             "0=5",
		`{{case .state "bad" "**no**" "yes"}}{{range .a.empty}}x{{else}}, none{{end}}`: "**no**, none",
		`{{state | code}} {{link .state "https://x.org/a b"}} {{get "a.list.0.n"}}`:    "`bad` [bad](https://x.org/a%20b) 5",
	} {
		h.post("json", "&stream=general&template="+url.QueryEscape(template), "", hostile).OK()
		if _, got, _ := strings.Cut(h.last(), "ZulipJSONWebhook: "); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
	h.post("generic", "&stream=general&topic_template={{state}}&template={{a.list.0.x}}", "", hostile).OK()
	a := h.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0").OK()
	if got := a.String("messages.0.content"); strings.Contains(got, "user-mention") || strings.Contains(got, "stream\"") ||
		strings.Contains(got, "<code>") || strings.Contains(got, "katex") || strings.Contains(got, "<del>") ||
		strings.Contains(got, ">e</a>") || a.String("messages.0.subject") != "bad" {
		t.Errorf("rendered %s", got)
	}

	// Characters that messages must not contain are left out.
	h.post("json", "&stream=general&topic_template={{t}}&template={{code%20.a}}{{raw%20.a}}", "",
		`{"t":"a\u0000\ufdd0b","a":"c\u0000d"}`).OK()
	if got := h.last(); !strings.HasSuffix(got, "/a b by ZulipJSONWebhook: `c d`cd") {
		t.Errorf("message %q", got)
	}

	// A template with an error, or that inserts nothing, is no reason to lose the payload.
	for _, template := range []string{"{{if}}", "{{range .a}}", "{{template \"x\"}}", "{{define \"x\"}}{{end}}",
		"{{call .a}}", "{{none.at.all}}"} {
		h.post("json", "&stream=general&template="+url.QueryEscape(template), "", `{"a":1}`).OK()
		if got := h.last(); !strings.HasSuffix(got, "```json\n{\n  \"a\": 1\n}\n```") {
			t.Errorf("%s: %s", template, got)
		}
	}
	// Expensive templates end early.
	list := "[" + strings.Repeat("[],", 100_000) + "[]]"
	for _, template := range []string{
		"x{{range .}}{{range $}}{{range $}}{{range $}}{{end}}{{end}}{{end}}{{end}}",
		"x{{range .}}{{print $ $ $ $ $ $}}{{end}}", "x{{range .}}{{len (print $ $)}}{{end}}",
		strings.Repeat("{{range .}}", 30) + "x" + strings.Repeat("{{end}}", 30),
		"x" + strings.Repeat("{{$}}", 900), `x{{truncate "NaN" "abc"}}{{short "-1" "abc"}}{{plural "Inf" "a"}}`,
		`x{{$a := "` + strings.Repeat("`", 3000) + `"}}{{range .}}{{len (quote $a)}}{{end}}`, `x{{range .}}{{replace "" "xxxxxxxx" (print $)}}{{end}}`,
	} {
		h.post("json", "&stream=general&template="+url.QueryEscape(template), "", list).OK()
	}
}
