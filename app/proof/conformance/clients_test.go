package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// existing lists the clients that must work unchanged, with their registration parameters and User-Agents.
var existing = []struct {
	name, agent string
	register    []string
}{
	{"flutter", "ZulipFlutter/30.0.270+270 (Android 14)", []string{"apply_markdown", "true", "client_gravatar", "false",
		"slim_presence", "true", "idle_queue_timeout", "mobile",
		"client_capabilities", `{"notification_settings_null":true,"bulk_message_deletion":true,"user_avatar_url_field_optional":true,"stream_typing_notifications":true,
		"user_settings_object":true,"include_deactivated_groups":true,"empty_topic_name":true,"individual_emoji_changes":true}`}},
	{"web", "ZulipElectron/5.12.2 (Linux)", []string{"apply_markdown", "true", "client_gravatar", "true", "slim_presence",
		"true", "include_subscribers", "partial",
		"client_capabilities", `{"notification_settings_null":true,"bulk_message_deletion":true,"user_avatar_url_field_optional":true,"stream_typing_notifications":true,
		"user_settings_object":true,"linkifier_url_template":true,"user_list_incomplete":true,"include_deactivated_groups":true,"archived_channels":true,"empty_topic_name":true}`}},
	{"terminal", "ZulipTerminal/0.7.0 (Linux)", []string{"apply_markdown", "true", "client_gravatar", "true",
		"include_subscribers", "true",
		"event_types", `["message","update_message","reaction","subscription","typing","update_message_flags","update_global_notifications","update_display_settings",
		"user_settings","realm_emoji","submessage","realm_user"]`,
		"fetch_event_types", `["realm","presence","subscription","message","starred_messages","update_message_flags","muted_topics","realm_user","realm_user_groups",
		"update_global_notifications","update_display_settings","user_settings","realm_emoji","custom_profile_fields","zulip_version"]`}},
	{"mobile", "ZulipMobile/27.233 (Android 14)", []string{"apply_markdown", "true", "client_gravatar", "true",
		"include_subscribers", "false",
		"client_capabilities", `{"notification_settings_null":true,"bulk_message_deletion":true,` +
			`"user_avatar_url_field_optional":true,"stream_typing_notifications":false,"user_settings_object":true}`,
		"fetch_event_types", `["alert_words","message","muted_topics","muted_users","presence","realm","realm_emoji","realm_filters","realm_linkifiers","realm_user",
		"realm_user_groups","recent_private_conversations","stream","subscription","update_display_settings","update_global_notifications","update_message_flags",
		"user_settings","user_status","zulip_version"]`}},
}

// unbuilt maps records for features that do not exist, to the reason. Their containers are empty, which clients accept.
var unbuilt = map[string]string{
	"login": "logins by other services",
}

// neverSent lists events of known types that clients never receive, or that end their queues, with the reason.
var neverSent = map[string]string{
	"realm/deactivated": "ends all queues", "realm/reactivated": "for the server itself",
	"realm/expired": "for the server itself", "realm/created": "for the server itself",
	"realm_bot/uses": "for the server itself", "stream/traffic": "for the server itself",
}

// reader is a user's client with an event queue.
type reader struct {
	client string
	who    string
	ask    *kittest.Client
	how    []string
	queue  *kittest.Queue
}

// TestExistingClientsCanReadIt checks that existing clients can read all responses and at least one event of each type.
func TestExistingClientsCanReadIt(t *testing.T) {
	harness.SQLiteSuffices(t, "responses are encoded alike")
	s := startAll(t)
	s.Ports.Mailer.(*mailtest.Quiet).On.Store(true)
	tables, told := map[string]shapes{}, map[string]bool{}
	var readers []*reader
	reportProblem := func(client, about, record string, v any) {
		for _, text := range tables[client].check(record, v) {
			line := fmt.Sprintf("%s: %s: %s", client, about, text)
			if which := position.ReplaceAllString(line, ".*"); !told[which] {
				told[which] = true
				t.Error(line)
			}
		}
	}
	for _, c := range existing {
		tables[c.name] = readShapes(t, c.name)
		for _, who := range []string{"alice", "olga", "guest"} {
			r := &reader{client: c.name, who: who, ask: s.As(who).Agent(c.agent), how: c.register}
			r.queue = r.ask.Register(r.how...)
			reportProblem(r.client, "the first /register", "register", whole(r.queue.Start))
			readers = append(readers, r)
		}
	}

	met := map[string]bool{}
	listen := func() {
		for _, r := range readers {
			a := r.queue.Take()
			for _, v := range whole(a).(map[string]any)["events"].([]any) {
				e := v.(map[string]any)
				kind := e["type"].(string)
				if op, ok := e["op"].(string); ok {
					kind += "/" + op
				}
				met[kind] = true
				if tables[r.client]["event:"+kind] != nil {
					reportProblem(r.client, kind, "event:"+kind, e)
				} else if r.client == "web" {
					t.Errorf("web: the event %s is unknown", kind)
				}
			}
		}
	}
	play(t, s, readers, func(about, record string, a *kittest.Response) {
		for _, c := range existing {
			if tables[c.name][record] != nil {
				reportProblem(c.name, about, record, whole(a))
			}
		}
		listen()
	})
	for _, r := range readers {
		a := r.ask.Do("POST /register", r.how...).OK()
		reportProblem(r.client, "/register", "register", whole(a))
	}
	anon := s.Anonymous()
	for _, c := range existing {
		for record, a := range map[string]*kittest.Response{
			"server_settings": anon.Do("GET /server_settings").OK(),
			"api_key":         anon.Do("POST /fetch_api_key", "username", "bob@example.com", "password", kittest.Password).OK(),
			"emoji_data":      emojiData(t, s),
		} {
			if tables[c.name][record] != nil {
				reportProblem(c.name, record, record, whole(a))
			}
		}
	}
	s.Restart()
	listen()

	types := knownTypes(tables)
	for _, e := range s.Ports.Collected.Events {
		kind := strings.TrimSuffix(e.Type+"/"+e.Op, "/")
		if types[e.Type] && !met[kind] && neverSent[kind] == "" {
			t.Errorf("no client received an event %s: it is missing from the scenario", kind)
		}
	}
	for _, c := range existing {
		for _, record := range slices.Sorted(maps.Keys(tables[c.name])) {
			if why := unbuilt[record]; tables[c.name][record].met == (why != "") {
				t.Errorf("%s: some value matched %s: %v; not built: %q", c.name, record, why != "", why)
			}
		}
	}
}

// knownTypes returns the types of events that at least one client knows. Clients ignore all events of other types, such
// as those of modules that the clients have no part for.
func knownTypes(tables map[string]shapes) map[string]bool {
	known := map[string]bool{}
	for _, records := range tables {
		for record := range records {
			if kind, isEvent := strings.CutPrefix(record, "event:"); isEvent {
				typ, _, _ := strings.Cut(kind, "/")
				known[typ] = true
			}
		}
	}
	return known
}

func whole(a *kittest.Response) any {
	a.T.Helper()
	d := json.NewDecoder(strings.NewReader(a.Body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		a.T.Fatalf("%s: %v", a.Call, err)
	}
	return v
}

func emojiData(t *testing.T, s *kittest.Server) *kittest.Response {
	u, err := url.Parse(s.As("alice").Do("POST /register", "event_types",
		`["realm"]`).OK().String("server_emoji_data_url"))
	if err != nil {
		t.Fatal(err)
	}
	return s.Anonymous().Under("").Do("GET " + u.Path)
}

// position matches an index in a path.
var position = regexp.MustCompile(`\.[0-9]+\b`)

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// play runs the scenario and passes the response of each step to after.
func play(t *testing.T, s *kittest.Server, readers []*reader, after func(about, record string, a *kittest.Response)) {
	text, err := os.ReadFile(filepath.Join("testdata", "clients", "scenario.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{"general": fmt.Sprint(s.ChannelID("general"))}
	for _, who := range []string{"alice", "bob", "olga", "guest"} {
		known[who] = fmt.Sprint(s.UserID(who))
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		step, name, _ := strings.Cut(line, " => ")
		step, record, _ := strings.Cut(step, " : ")
		words := strings.Fields(placeholder.ReplaceAllStringFunc(step, func(h string) string {
			if v, ok := known[h[1:len(h)-1]]; ok {
				return v
			}
			return h
		}))
		var params []string
		if len(words) > 3 {
			form, err := url.ParseQuery(words[3])
			if err != nil || len(words) > 4 {
				t.Fatalf("%s: %v", line, err)
			}
			for _, k := range slices.Sorted(maps.Keys(form)) {
				params = append(params, k, form.Get(k))
			}
		}
		call := words[1] + " " + words[2]
		var a *kittest.Response
		if method, file := strings.CutSuffix(words[1], "+file"); file {
			a = s.As(words[0]).Upload(method+" "+words[2], "picture.png", kittest.PNG(4, 4), params...)
		} else {
			a = s.As(words[0]).Agent("ZulipFlutter").Do(call, params...)
		}
		if a.Status != 200 {
			t.Errorf("%s: %d %s", line, a.Status, a.Body)
			continue
		}
		if name, path, ok := strings.Cut(name, "="); ok {
			known[name] = fmt.Sprint(a.Get(path))
		}
		after(call, record, a)
	}
}

// TestExistingClientsAcceptFewModules checks that these modules suffice for the mobile apps and the terminal client.
// The data of missing modules is empty, as these clients require.
func TestExistingClientsAcceptFewModules(t *testing.T) {
	harness.SQLiteSuffices(t, "responses are encoded alike")
	few := []string{"realm", "accounts", "topics", "messages", "events", "zulipnames"}
	var ms []kit.Module
	for _, m := range standard.Modules() {
		if m.Slot != "" || slices.Contains(few, m.Name) {
			ms = append(ms, m)
		}
	}
	s := start(t, kittest.Options{}, ms...)
	for _, c := range existing {
		if c.name == "web" {
			continue
		}
		for _, text := range readShapes(t, c.name).check("register",
			whole(s.As("alice").Agent(c.agent).Do("POST /register", c.register...).OK())) {
			t.Errorf("%s: /register%s", c.name, text)
		}
	}
}

// TestExistingClientsFindTheirCalls checks that every call of a client has a route, except those in calls.txt, which
// gives the reasons.
func TestExistingClientsFindTheirCalls(t *testing.T) {
	harness.SQLiteSuffices(t, "it reads only declarations")
	s := startAll(t)
	there := map[string]bool{}
	for _, e := range s.Ports.Collected.Endpoints {
		there[e.Method+" "+variable.ReplaceAllString(e.Path, "*")] = true
	}
	text, err := os.ReadFile(filepath.Join("testdata", "clients", "calls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if call, why, missing := strings.Cut(line, " : "); there[call] == missing {
			t.Errorf("%s exists: %v; listed as missing because of %q", call, there[call], why)
		}
	}
}

var variable = regexp.MustCompile(`:[a-z_]+\+?`)
