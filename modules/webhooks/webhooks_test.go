package webhooks_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/webhooks"
	"github.com/stoachat/stoa/ports"
)

func TestModule(t *testing.T) {
	kittest.Check(t, webhooks.Module, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
}

// hook is a server with an incoming webhook bot owned by alice.
type hook struct {
	*kittest.Server
	t   *testing.T
	id  user.ID
	key string
}

func start(t *testing.T, database string) *hook {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: database}, realm.Module, accounts.Module, groups.Module,
		channels.Module,
		messages.Module, events.Module, webhooks.Module)
	by := user.Actor{Realm: s.Realm, System: true, Client: "test"}
	id, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
		Email: "hook-bot@example.com", FullName: "Hook", Role: user.Member, BotType: user.IncomingWebhook,
		BotOwner: s.UserID("alice"),
	})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Ports.Accounts.IssueKey(t.Context(), by, id)
	if err != nil {
		t.Fatal(err)
	}
	return &hook{s, t, id, key}
}

// post calls a webhook with a JSON body; header is "Name: value" or "".
func (h *hook) post(integration, query, header, body string) *kittest.Response {
	h.t.Helper()
	c := h.Anonymous()
	req := c.Request("POST /external/"+integration+"?api_key="+h.key+query, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	if name, value, ok := strings.Cut(header, ": "); ok {
		req.Header.Set(name, value)
	}
	return c.RoundTrip(req)
}

// last returns alice's newest message.
func (h *hook) last() string {
	h.t.Helper()
	a := h.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "apply_markdown",
		"false").OK()
	if len(a.Get("messages").([]any)) == 0 {
		return ""
	}
	m := func(key string) any { return a.Get("messages.0." + key) }
	return fmt.Sprintf("%v/%v by %v: %v", m("type"), m("subject"), m("client"), m("content"))
}

const push = `{"ref":"refs/heads/main","before":"1","after":"0000","repository":{"name":"hello"},` +
	`"sender":{"login":"octocat"}}`

func TestReceive(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		h := start(t, database)
		general := h.ChannelID("general")
		h.post("github", "&stream=General", "X-GitHub-Event: push", push).Is(200, `{"result":"success","msg":""}`)
		if got := h.last(); !strings.Contains(got, "/hello / main by ZulipGitHubWebhook: octocat deleted branch `main`.") {
			t.Errorf("message %s", got)
		}
		h.post("github", fmt.Sprintf("&stream=%d&topic=builds", general), "X-GitHub-Event: push", push).OK()
		if got := h.last(); !strings.Contains(got, "/builds by") {
			t.Errorf("message %s", got)
		}
		h.post("github", "&topic=ignored", "X-GitHub-Event: push", push).OK() // to the owner
		if got := h.last(); !strings.HasPrefix(got, "private/") {
			t.Errorf("message %s", got)
		}

		// Filters, and events that produce no message.
		h.Skip()
		for _, query := range []string{`&only_events=["iss*"]`, `&exclude_events=["pus[gh]"]`,
			`&only_events=["push"]&exclude_events=["*"]`, "&branches=dev"} {
			query = strings.NewReplacer("[", "%5B", "]", "%5D", `"`, "%22", "*", "%2A").Replace(query)
			h.post("github", "&stream=general"+query, "X-GitHub-Event: push", push).Is(200, `{"result":"success","msg":""}`)
		}
		h.NoEvents()
		h.post("github", "&stream=general&only_events=%5B%22p%3Fsh%22%5D", "X-GitHub-Event: push", push).OK()
		h.Events(`message subscribers:general`)

		// A form, and a service that escapes twice.
		h.Anonymous().Do("POST /external/slack_incoming", "api_key", h.key, "stream", "general", "payload",
			`{"text":"*hi*","channel":"#ops"}`).OK()
		if got := h.last(); !strings.HasSuffix(got, "/ops by ZulipSlackIncomingWebhook: **hi**") {
			t.Errorf("message %s", got)
		}
		h.post("grafana", "&stream=general&topic="+url.QueryEscape(url.QueryEscape("a b")), "",
			`{"ruleName":"r","state":"ok"}`).OK()
		if got := h.last(); !strings.Contains(got, "/a b by ZulipGrafanaWebhook") {
			t.Errorf("message %s", got)
		}
		// Mentions in a payload send no notifications.
		h.post("uptimekuma", "&stream=general", "", `{"msg":"@**all** @**alice**"}`).OK()
		if a := h.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after",
			"0").OK(); kittest.JSON(a.Get("messages.0.flags")) != "[]" {
			t.Errorf("flags %v", a.Get("messages.0.flags"))
		}
	})
}

func TestRefused(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		h := start(t, database)
		h.Skip()
		h.Anonymous().Do("POST /external/github").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'api_key' argument")
		for _, key := range []string{"x", strings.Repeat("x", 32)} {
			h.Anonymous().Do("POST /external/github", "api_key", key).Error(401, "INVALID_API_KEY", "Invalid API key")
		}
		h.post("none", "", "", "{}").Error(404, "BAD_REQUEST", "Unknown integration")
		if a := h.Anonymous().Do("GET /external/github"); a.Status != http.StatusMethodNotAllowed {
			t.Errorf("GET: %d", a.Status)
		}
		h.post("github", "", "X-GitHub-Event: workflow_job", `{"repository":{"name":"a"}}`).Is(200,
			`{"result":"error","msg":"*",
			"code":"UNSUPPORTED_WEBHOOK_EVENT_TYPE","webhook_name":"GitHub","event_type":"workflow_job"}`)
		h.post("jira", "", "", `{"a":1}`).Is(400,
			`{"result":"error","msg":"*","code":"ANOMALOUS_WEBHOOK_PAYLOAD","webhook_name":"Jira"}`)
		h.post("slack_incoming", "", "", "").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'payload' argument")
		h.post("github", "&only_events=push", "X-GitHub-Event: push", push).Error(400, "BAD_REQUEST", "")
		h.post("github", "&webhook_secret=s", "X-GitHub-Event: push", push).Error(400, "BAD_REQUEST",
			"The webhook's signature is wrong.")
		h.post("github", "&stream=secret", "X-GitHub-Event: push", push).OK() // alice is allowed to post there
		h.Skip()
		c := h.Anonymous()
		req := c.Request("POST /external/json?stream=general&api_key="+h.As("bob").Key(), strings.NewReader(`{"a":1}`))
		c.RoundTrip(req).OK() // any account's key works
		h.Skip()
		c.RoundTrip(c.Request("POST /external/json?api_key="+h.As("bob").Key(), strings.NewReader(`{"a":1}`))).Error(400,
			"BAD_REQUEST", "no owner")
		h.NoEvents()

		// The owner is notified of errors at most once in an hour.
		h.Clock.Advance(time.Hour)
		notice := func(text string) {
			t.Helper()
			got := h.last()
			if text == "" {
				h.NoEvents()
			} else if !strings.HasPrefix(got, "private/") || !strings.Contains(got, text) {
				t.Errorf("message %s, want %q", got, text)
			}
			h.Skip()
		}
		h.post("github", "", "", push).Is(400,
			`{"result":"error","msg":"*","code":"MISSING_HTTP_EVENT_HEADER","header":"X-GitHub-Event"}`)
		notice("was not posted: it came without the header X-GitHub-Event")
		h.post("github", "", "X-GitHub-Event: push", "{").Error(400, "INVALID_JSON", "Malformed JSON")
		notice("")
		h.Clock.Advance(59 * time.Minute)
		h.post("github", "", "X-GitHub-Event: push", "{").Error(400, "INVALID_JSON", "Malformed JSON")
		notice("")
		h.Clock.Advance(time.Minute)
		h.post("github", "", "X-GitHub-Event: push", "{").Error(400, "INVALID_JSON", "Malformed JSON")
		notice("the body is not JSON: 1 bytes of application/json, with an error at byte 1")
		h.Clock.Advance(time.Hour)
		h.post("github", "&stream=nowhere", "X-GitHub-Event: push", push).Is(200,
			`{"result":"success","msg":"Nothing was posted: the channel does not exist."}`)
		notice("the channel `nowhere`, which does not exist")
		h.Clock.Advance(time.Hour)
		h.post("github", "&stream=987654321", "X-GitHub-Event: push", push).
			Is(400, `{"result":"error","msg":"*","code":"STREAM_DOES_NOT_EXIST","stream_id":987654321}`)
		notice("the channel ID 987654321, which does not exist")

		if err := h.Ports.Accounts.Deactivate(t.Context(), user.Actor{Realm: h.Realm, System: true}, h.id); err != nil {
			t.Fatal(err)
		}
		h.post("github", "", "X-GitHub-Event: push", push).Error(401, "USER_DEACTIVATED", "Account is deactivated")
	})
}

func TestRegister(t *testing.T) {
	h := start(t, "")
	a := h.As("alice").Do("POST /register", "fetch_event_types", `["realm_incoming_webhook_bots"]`, "event_types",
		"[]").OK()
	all := map[string]string{}
	for _, one := range a.Get("realm_incoming_webhook_bots").([]any) {
		all[one.(map[string]any)["name"].(string)] = kittest.JSON(one)
	}
	for name, want := range map[string]string{
		"alertmanager": `{"all_event_types":null,"config_options":[],"display_name":"Alertmanager","name":"alertmanager",` +
			`"url_options":[{"key":"name","label":"Label that names the topic (default alertname)","validator":"check_string"},` +
			`{"key":"desc","label":"Annotations that describe an alert, separated by commas","validator":"check_string"}]}`,
		"zabbix": `{"all_event_types":null,"config_options":[],"display_name":"Zabbix","name":"zabbix","url_options":[]}`,
	} {
		if all[name] != want {
			t.Errorf("%s: %s", name, all[name])
		}
	}
	if n := len(a.Get("realm_incoming_webhook_bots").([]any)); n < 18 || n != len(all) {
		t.Errorf("%d integrations", n)
	}
}
