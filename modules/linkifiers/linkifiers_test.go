package linkifiers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/linkifiers"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, linkifiers.Module, realm.Module, accounts.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, linkifiers: {max_per_realm: 5}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, linkifiers.Module)
}

const (
	listEvent = `realm_linkifiers everyone {}`
	notAdmin  = "Must be an organization administrator"
)

func add(s *kittest.Server, pattern, template string, more ...string) int64 {
	s.T.Helper()
	id := s.As("adam").Do("POST /realm/filters", append([]string{"pattern", pattern, "url_template", template},
		more...)...).OK().Int("id")
	s.Events(listEvent)
	return id
}

// patterns returns the patterns in a user's list of linkifiers.
func patterns(s *kittest.Server, who string) string {
	s.T.Helper()
	var out []string
	for _, l := range s.As(who).Do("GET /realm/linkifiers").OK().Get("linkifiers").([]any) {
		out = append(out, l.(map[string]any)["pattern"].(string))
	}
	return strings.Join(out, " ")
}

func TestList(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		s.As("guest").Do("GET /realm/linkifiers").Is(200, `{"result":"success","msg":"","linkifiers":[]}`)
		s.Anonymous().Do("GET /realm/linkifiers").Error(401, "UNAUTHORIZED", "Not logged in")
		s.Skip()
		a := add(s, `A(?P<id>\d)`, "https://a.org/{id}")
		b := add(s, `B(?P<id>\d)`, "https://b.org/{id}", "example_input", "B7", "reverse_template", "B{id}",
			"alternative_url_templates", `["http://b.org{/id}"]`)
		c := add(s, "C", "https://c.org", "example_input", "", "reverse_template", "", "alternative_url_templates", "[]")
		one := func(id int64, name string) string {
			if name == "C" {
				return fmt.Sprintf(`{"id":%d,"pattern":"C","url_template":"https://c.org","example_input":null,`+
					`"reverse_template":null,"alternative_url_templates":[]}`, id)
			}
			if name == "A" {
				return fmt.Sprintf(`{"id":%d,"pattern":"A(?P<id>\\d)","url_template":"https://a.org/{id}","example_input":null,`+
					`"reverse_template":null,"alternative_url_templates":[]}`, id)
			}
			return fmt.Sprintf(`{"id":%d,"pattern":"B(?P<id>\\d)","url_template":"https://b.org/{id}","example_input":"B7",`+
				`"reverse_template":"B{id}","alternative_url_templates":["http://b.org{/id}"]}`, id)
		}
		whole := "[" + one(a, "A") + "," + one(b, "B") + "," + one(c, "C") + "]"
		for _, who := range []string{"alice", "guest", "bot", "adam"} {
			s.As(who).Do("GET /realm/linkifiers").Is(200, `{"result":"success","msg":"","linkifiers":`+whole+`}`)
		}

		// Reordering, which survives a restart.
		order := func(ids ...int64) *kittest.Response {
			return s.As("olga").Do("PATCH /realm/linkifiers", "ordered_linkifier_ids", kittest.JSON(ids))
		}
		order(c, a, b).OK()
		s.Events(listEvent)
		order(c, a, b).OK()
		s.NoEvents()
		for _, ids := range [][]int64{{}, {c, a}, {c, a, a}, {c, a, b, b}, {c, a, b + 100}, {c, a, b, b + 100}} {
			order(ids...).Error(400, "BAD_REQUEST", "The ordered list must enumerate all existing linkifiers exactly once")
		}
		s.As("olga").Do("PATCH /realm/linkifiers").Error(400, "REQUEST_VARIABLE_MISSING",
			"Missing 'ordered_linkifier_ids' argument")
		s.NoEvents()
		kittest.Equal(t, "order", patterns(s, "bob"), `C A(?P<id>\d) B(?P<id>\d)`)
		s.Restart()
		whole = "[" + one(c, "C") + "," + one(a, "A") + "," + one(b, "B") + "]"
		s.As("bob").Do("GET /realm/linkifiers").Is(200, `{"result":"success","msg":"","linkifiers":`+whole+`}`)

		// Remove a linkifier. A new one is added at the end.
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/filters/%d", a)).OK()
		s.Events(listEvent)
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/filters/%d", a)).Error(400, "BAD_REQUEST", "Linkifier not found.")
		add(s, "D", "https://d.org")
		kittest.Equal(t, "after one was removed", patterns(s, "bob"), `C B(?P<id>\d) D`)
		s.Restart()
		kittest.Equal(t, "stored", patterns(s, "bob"), `C B(?P<id>\d) D`)
		add(s, "E", "https://e.org")
		add(s, "F", "https://f.org")
		s.As("adam").Do("POST /realm/filters", "pattern", "G", "url_template", "https://x").Error(400, "BAD_REQUEST",
			"Too many linkifiers (limit: 5). Remove some first.")
		s.NoEvents()
	})
}

func TestUpdate(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := add(s, `A(?P<id>\d)`, "https://a.org/{id}", "example_input", "A1", "reverse_template", "A{id}",
			"alternative_url_templates", `["mailto:{id}"]`)
		add(s, "B", "https://b.org")
		patch := func(params ...string) *kittest.Response {
			return s.As("adam").Do(fmt.Sprintf("PATCH /realm/filters/%d", id), params...)
		}
		is := func(want string) {
			t.Helper()
			kittest.Equal(t, "now", kittest.JSON(s.As("bob").Do("GET /realm/linkifiers").OK().Get("linkifiers.0")), want)
		}
		const full = `"example_input":"A1","id":%d,"pattern":"A(?P\u003cid\u003e\\d)","reverse_template":"A{id}",` +
			`"url_template":"https://%s.org/{id}"}`
		patch("pattern", `A(?P<id>\d)`, "url_template", "https://a.org/{id}").Is(200, `{"result":"success","msg":""}`)
		s.NoEvents() // nothing changed
		patch("pattern", `A(?P<id>\d)`, "url_template", "https://c.org/{id}").OK()
		s.Events(listEvent)
		is(`{"alternative_url_templates":["mailto:{id}"],` + fmt.Sprintf(full, id, "c")) // omitted parameters are unchanged
		patch("pattern", "A", "url_template", "https://c.org").Error(400, "BAD_REQUEST",
			"Example input does not match the pattern.")
		patch("pattern", "A", "url_template", "https://c.org", "example_input", "", "reverse_template", "",
			"alternative_url_templates", "[]").OK()
		s.Events(listEvent)
		is(fmt.Sprintf(`{"alternative_url_templates":[],"example_input":null,"id":%d,"pattern":"A","reverse_template":null,`+
			`"url_template":"https://c.org"}`, id))
		patch("pattern", "A", "url_template", "https://c.org", "example_input", "null").OK()
		s.NoEvents()
		patch("pattern", "B", "url_template", "https://c.org").Error(400, "BAD_REQUEST",
			"Linkifier with this pattern already exists.")
		patch("pattern", "C").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'url_template' argument")
		patch("url_template", "C").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'pattern' argument")
		s.As("adam").Do(fmt.Sprintf("PATCH /realm/filters/%d", id+100), "pattern", "(", "url_template", "x").Error(400,
			"BAD_REQUEST", "Linkifier not found.")
		s.NoEvents()
		kittest.Equal(t, "the place stays", patterns(s, "bob"), "A B")
	})
}

// Rejected requests change nothing and produce no event.
func TestRefused(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := add(s, "taken", "https://x.org")
		for _, who := range []string{"alice", "mona", "guest", "bot"} {
			s.As(who).Do("POST /realm/filters", "pattern", "x", "url_template", "y").Error(400, "UNAUTHORIZED_PRINCIPAL",
				notAdmin)
			s.As(who).Do(fmt.Sprintf("PATCH /realm/filters/%d", id), "pattern", "x", "url_template", "y").Error(400,
				"UNAUTHORIZED_PRINCIPAL", notAdmin)
			s.As(who).Do(fmt.Sprintf("DELETE /realm/filters/%d", id)).Error(400, "UNAUTHORIZED_PRINCIPAL", notAdmin)
			s.As(who).Do("PATCH /realm/linkifiers", "ordered_linkifier_ids", kittest.JSON([]int64{id})).Error(400,
				"UNAUTHORIZED_PRINCIPAL", notAdmin)
		}
		for _, c := range []struct{ pattern, template, field, want string }{
			{"", "https://x", "pattern", "This field cannot be blank."},
			{"x", "", "url_template", "This field cannot be blank."},
			{"(foo", "https://x", "pattern", "Bad regular expression: missing ): (foo"},
			{`Z-(?P<id>\d????)`, "https://x", "pattern", "Bad regular expression: bad repetition operator: ????"},
			{`Z-(?P<id>\d)`, "https://x/{id", "url_template", "Invalid URL template."},
			{`Z-(?P<id>\d)`, "https://x", "__all__", "Group 'id' in linkifier pattern is not present in URL template."},
			{"Z", "https://x/{id}", "__all__", "Group 'id' in URL template is not present in linkifier pattern."},
			{"taken", "https://y", "__all__", "Linkifier with this pattern already exists."},
			{"(?:a{0,400}){0,2}", "https://y", "pattern", "Bad regular expression: pattern too large"},
		} {
			s.As("adam").Do("POST /realm/filters", "pattern", c.pattern, "url_template", c.template).
				Is(400, fmt.Sprintf(`{"result":"error","code":"BAD_REQUEST","msg":%s,"errors":{%q:[%s]}}`, kittest.JSON(c.want),
					c.field, kittest.JSON(c.want)))
		}
		reverse := func(params ...string) *kittest.Response {
			return s.As("adam").Do("POST /realm/filters",
				append([]string{"pattern", `#(?P<id>\d)`, "url_template", "https://x/{id}"}, params...)...)
		}
		reverse("example_input", "#12").Error(400, "BAD_REQUEST", "Example input does not match the pattern.")
		reverse("reverse_template", "#{id}").Error(400, "BAD_REQUEST", "Reverse template requires an example input.")
		reverse("example_input", "#1", "reverse_template", "{id}").Error(400, "BAD_REQUEST",
			"Reverse template does not reproduce the example input.")
		reverse("example_input", "#1", "reverse_template", "#{id").Error(400, "BAD_REQUEST", "Invalid reverse template.")
		reverse("alternative_url_templates", `["https://x"]`).Error(400, "BAD_REQUEST",
			"Group 'id' in linkifier pattern is not present in URL template.")
		reverse("alternative_url_templates", `{"a":1}`).Error(400, "BAD_REQUEST", "alternative_url_templates is not a list")
		s.NoEvents()
		kittest.Equal(t, "left", patterns(s, "alice"), "taken")
	})
}

// Clients with the capability, including guests, receive the list in /register and in events; others receive an empty
// list and no events.
func TestClients(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := add(s, "first", "https://x.org")
		register := func(who, capabilities string) *kittest.Queue {
			return s.As(who).Register("event_types", `["realm_linkifiers"]`, "client_capabilities", capabilities)
		}
		const knows = `{"notification_settings_null":true,"linkifier_url_template":true}`
		queues := map[string]*kittest.Queue{}
		for _, who := range []string{"alice", "guest", "bot"} {
			queues[who] = register(who, knows)
			kittest.Equal(t, who, kittest.JSON(queues[who].Start.Get("realm_linkifiers.0.id")), fmt.Sprint(id))
		}
		queues["bob"] = register("bob", `{"notification_settings_null":true}`)
		kittest.Equal(t, "without the capability", kittest.JSON(queues["bob"].Start.Get("realm_linkifiers")), "[]")
		kittest.Equal(t, "older clients", kittest.JSON(s.As("alice").Do("POST /register", "fetch_event_types",
			`["realm_filters"]`).OK().Get("realm_filters")), "[]")
		add(s, "second", "https://y.org")
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/filters/%d", id)).OK()
		for who, q := range queues {
			got := q.Take()
			if who == "bob" {
				kittest.Equal(t, who, kittest.JSON(got.Get("events")), "[]")
				continue
			}
			if n := len(got.Get("events").([]any)); n != 2 {
				t.Fatalf("%s received %d changes: %s", who, n, kittest.JSON(got.Get("events")))
			}
			kittest.Equal(t, who, kittest.JSON(got.Get("events.0.type")), `"realm_linkifiers"`)
			kittest.Equal(t, who, kittest.JSON(got.Get("events.1.realm_linkifiers.0.pattern"))+
				fmt.Sprint(len(got.Get("events.1.realm_linkifiers").([]any))), `"second"1`)
		}
	})
}

func TestRendered(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := add(s, `#(?P<id>\d+)`, "https://i.org/{id}")
		s.Restart() // reload from the database
		post := func(topic, text string) int64 {
			return s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", topic, "content",
				text).OK().Int("id")
		}
		read := func(who string, message int64) *kittest.Response {
			return s.As(who).Do(fmt.Sprintf("GET /messages/%d", message), "apply_markdown", "true").OK()
		}
		m := post("fix #7, x.org", "**#12** done")
		for _, who := range []string{"bob", "guest"} {
			a := read(who, m)
			kittest.Equal(t, who, a.String("message.content"), `<p><strong><a href="https://i.org/12">#12</a></strong> done</p>`)
			kittest.Equal(t, who, kittest.JSON(a.Get("message.topic_links")),
				`[{"text":"#7","url":"https://i.org/7"},{"text":"x.org","url":"https://x.org"}]`)
		}
		found := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			`[["has","link"]]`).OK()
		kittest.Equal(t, "has:link", kittest.JSON(found.Get("messages.0.id")), fmt.Sprint(m))
		shown := s.As("bob").Do("POST /messages/render", "content", "#5").OK()
		kittest.Equal(t, "preview", shown.String("rendered"), `<p><a href="https://i.org/5">#5</a></p>`)

		// A new template applies to later messages; topics are always linkified with the current one.
		s.As("adam").Do(fmt.Sprintf("PATCH /realm/filters/%d", id), "pattern", `#(?P<id>\d+)`, "url_template",
			"https://j.org/{id}").OK()
		a := read("bob", m)
		kittest.Equal(t, "earlier messages", a.String("message.content"),
			`<p><strong><a href="https://i.org/12">#12</a></strong> done</p>`)
		kittest.Equal(t, "its topic", kittest.JSON(a.Get("message.topic_links.0.url")), `"https://j.org/7"`)
		kittest.Equal(t, "a new one", read("bob", post("x", "#1")).String("message.content"),
			`<p><a href="https://j.org/1">#1</a></p>`)
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/filters/%d", id)).OK()
		kittest.Equal(t, "without it", read("bob", post("x", "#1")).String("message.content"), `<p>#1</p>`)
		kittest.Equal(t, "its topic", kittest.JSON(read("bob", m).Get("message.topic_links")),
			`[{"text":"x.org","url":"https://x.org"}]`)
	})
}

// Texts that become too large when rendered are rejected, both in new messages and in edits.
func TestTooLargeToRender(t *testing.T) {
	s := start(t, "")
	s.Skip()
	add(s, "a", "https://x.org/"+strings.Repeat("y", 1900))
	send := func(text string) *kittest.Response {
		return s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content", text)
	}
	id := send("a a").OK().Int("id")
	s.Skip()
	long := strings.Repeat("a ", 1000)
	send(long).Error(400, "BAD_REQUEST", "Unable to render message")
	s.As("bob").Do("POST /messages/render", "content", long).Error(400, "BAD_REQUEST", "Unable to render message")
	s.As("bob").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", long).Error(400, "BAD_REQUEST",
		"Unable to render message")
	s.NoEvents()
	if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id), "apply_markdown",
		"false").OK().String("message.content"); got != "a a" {
		t.Errorf("the message is %q", got)
	}
}

func TestTry(t *testing.T) {
	s := start(t, "")
	s.Skip()
	id := add(s, `#(?P<id>\d+)`, "https://i.org/{id}")
	try := func(who, pattern, template, text string, more ...string) *kittest.Response {
		more = append(more, "pattern", pattern, "url_template", template, "text", text)
		return s.As(who).Do("POST /realm/linkifiers/test", more...)
	}
	try("adam", `K-(?P<n>\d+)`, "https://k.org/{n}", "K-1, #2 xK-3 K-4").Is(200, `{"result":"success","msg":"",`+
		`"matches":[{"text":"K-1","url":"https://k.org/1"},{"text":"K-4","url":"https://k.org/4"}]}`)
	try("adam", "K", "https://k.org", "").Is(200, `{"result":"success","msg":"","matches":[]}`)
	a := try("adam", `#(?P<id>\d+)`, "https://k.org/{no}", "#1").Error(400, "BAD_REQUEST",
		"Group 'no' in URL template is not present in linkifier pattern.")
	kittest.Equal(t, "errors", kittest.JSON(a.Get("errors.__all__.1")), `"Linkifier with this pattern already exists."`)
	try("adam", `#(?P<id>\d+)`, "https://k.org/{id}", "#1", "filter_id", fmt.Sprint(id)).OK()
	try("adam", "K", "https://k.org", strings.Repeat("x", 2001)).Error(400, "BAD_REQUEST",
		"text is too long (limit: 2000 characters)")
	many := try("adam", "K", "https://k.org/"+strings.Repeat("y", 1900),
		strings.Repeat("K ", 1000)).OK().Get("matches").([]any)
	kittest.Equal(t, "shown", fmt.Sprint(len(many)), "50")
	try("alice", "K", "https://k.org", "K").Error(400, "UNAUTHORIZED_PRINCIPAL", notAdmin)
	kittest.Equal(t, "the list", patterns(s, "bob"), `#(?P<id>\d+)`)
	s.NoEvents()
}
