package previews_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/page"
	"github.com/stoachat/stoa/adapters/outbound/page/webpagetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/previews"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

// web is an adapter that serves a fixed set of pages.
func web(f *webpagetest.Fake) kit.Module {
	return kit.Adapter("pages", "fake", "Knows some pages.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.Pages, error) { return f, nil })
}

func all(pages kit.Module) []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, pages, previews.Module,
	}
}

const cheap = "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, previews: {max_pages: 30}}\n"

// open starts a server with a fixed set of pages. Its realm has previews enabled.
func open(t *testing.T) (*kittest.Server, *webpagetest.Fake) {
	t.Helper()
	f := webpagetest.NewFake(map[string]markdown.Embed{
		"https://x.org":        {Title: "X", Description: "about x", Image: "https://x.org/i.png"},
		"https://y.org":        {Title: "Y", Image: "https://y.org/i.png"},
		"https://mute.org":     {},
		"https://youtu.be/a1":  {Title: "Tune", Image: "https://i.ytimg.com/1.jpg"},
		"https://vimeo.com/12": {Title: "Film", Image: "https://i.vimeocdn.com/1.jpg"},
	})
	s := kittest.StartWith(t, kittest.Options{Config: cheap}, all(web(f))...)
	set(s, "true")
	return s, f
}

func set(s *kittest.Server, on string) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm", "inline_url_embed_preview", on).OK()
	s.Skip()
}

func TestModule(t *testing.T) {
	m := all(web(webpagetest.NewFake(nil)))
	kittest.Check(t, m[len(m)-1], m[:len(m)-1]...)
}

func post(s *kittest.Server, as, content string) int64 {
	s.T.Helper()
	return s.As(as).Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content",
		content).OK().Int("id")
}

func edit(s *kittest.Server, id int64, content string) {
	s.T.Helper()
	s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", content).OK()
}

func content(s *kittest.Server, id int64) string {
	s.T.Helper()
	return s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("message.content")
}

func read(s *kittest.Server) { s.T.Helper(); s.RunJob("previews.read") }

// queue receives a user's update_message events.
type queue struct {
	*kittest.Queue
	s *kittest.Server
}

func watch(s *kittest.Server, as string) *queue {
	s.T.Helper()
	return &queue{s.As(as).Register("event_types", `["update_message"]`, "fetch_event_types", "[]"), s}
}

// updates returns the message and its HTML from each event. The module messages tests the other fields.
func (q *queue) updates() []string {
	q.s.T.Helper()
	var body struct {
		Events []struct {
			Message   int64           `json:"message_id"`
			Rendering bool            `json:"rendering_only"`
			User      json.RawMessage `json:"user_id"`
			Rendered  string          `json:"rendered_content"`
		} `json:"events"`
	}
	q.Take().JSON(&body)
	out := []string{}
	for _, e := range body.Events {
		if e.Rendering != (string(e.User) == "null") {
			q.s.T.Errorf("rendering_only %v by %s", e.Rendering, e.User)
		}
		kind := "edit"
		if e.Rendering {
			kind = "again"
		}
		out = append(out, fmt.Sprintf("%s %d %s", kind, e.Message, e.Rendered))
	}
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func link(target string) string { return `<p><a href="` + target + `">` + target + "</a></p>" }

func embed(target, title, description string) string {
	if description != "" {
		description = `<div class="message_embed_description">` + description + "</div>"
	}
	return `<div class="message_embed"><a class="message_embed_image" href="` + target +
		`" style="background-image: url(&quot;` + target +
		`/i.png&quot;)"></a><div class="data-container"><div class="message_embed_title"><a href="` + target + `" title="` +
		title + `">` + title +
		`</a></div>` + description + `</div></div>`
}

func TestPreview(t *testing.T) {
	s, f := open(t)
	alice, bob, adam := watch(s, "alice"), watch(s, "bob"), watch(s, "adam")
	id := post(s, "alice", "https://x.org")
	if got := content(s, id); got != link("https://x.org") || len(f.Requested()) != 0 {
		t.Errorf("at first: %s", got)
	}
	s.Skip()
	read(s)
	want := link("https://x.org") + "\n" + embed("https://x.org", "X", "about x")
	if got := content(s, id); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	same(t, "alice", alice.updates(), fmt.Sprintf("again %d %s", id, want))
	same(t, "bob", bob.updates(), fmt.Sprintf("again %d %s", id, want))
	same(t, "adam", adam.updates())
	same(t, "asked", f.Requested(), "https://x.org")
	read(s)
	s.Events("update_message subscribers:general")
	again := post(s, "bob", "[b](https://x.org) https://y.org https://none.org")
	read(s)
	same(t, "requested unknown pages", f.Requested(), "https://none.org", "https://y.org")
	if got := content(s, again); !strings.HasSuffix(got, embed("https://x.org", "X", "about x")+"\n"+embed("https://y.org",
		"Y", "")) {
		t.Errorf("got %s", got)
	}
	direct := s.As("bob").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("guest")), "content",
		"https://y.org").OK().Int("id")
	guest := watch(s, "guest")
	bob.updates()
	alice.updates()
	s.Skip()
	read(s)
	s.Events("update_message users:bob,guest")
	want = fmt.Sprintf("again %d %s\n%s", direct, link("https://y.org"), embed("https://y.org", "Y", ""))
	same(t, "guest", guest.updates(), want)
	same(t, "bob", bob.updates(), want)
	same(t, "alice", alice.updates())
}

func TestVideos(t *testing.T) {
	s, _ := open(t)
	id := post(s, "alice", "https://youtu.be/a1")
	film := post(s, "alice", "https://vimeo.com/12")
	read(s)
	if got := content(s, id); !strings.HasPrefix(got, `<p><a href="https://youtu.be/a1">YouTube - Tune</a></p>`+"\n"+
		`<div class="youtube-video`) {
		t.Errorf("got %s", got)
	}
	if got := content(s, film); !strings.HasPrefix(got, `<p><a href="https://vimeo.com/12">Vimeo - Film</a></p>`+"\n"+
		`<div class="embed-video`) {
		t.Errorf("got %s", got)
	}
}

// Pages that will not be shown are not requested.
func TestNoPreview(t *testing.T) {
	s, f := open(t)
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "https://n%d.org\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, as, text string
		asked          int
	}{
		{"bot", "bot", "https://x.org", 0},
		{"quoted", "alice", "> https://x.org", 0},
		{"code", "alice", "`https://x.org`", 0},
		{"image", "alice", "https://x.org/a.png", 0},
		{"no link", "alice", "x", 0},
		{"own realm", "alice", s.URL + "/help", 0},
		{"own realm, named", "alice", "[help](" + strings.ToUpper(s.URL[:7]) + s.URL[7:] + "/help)", 0},
		{"25", "alice", many(25), 0},
		{"24", "alice", many(24), 24},
		{"missing", "alice", "https://gone.org", 1},
		{"still missing", "alice", "https://gone.org", 0},
		{"nothing to say", "alice", "https://mute.org", 1},
	} {
		id := post(s, c.as, c.text)
		before := content(s, id)
		s.Skip()
		read(s)
		if n := len(f.Requested()); n != c.asked || content(s, id) != before {
			t.Errorf("%s: requested %d pages, want %d; became %s", c.name, n, c.asked, content(s, id))
		}
		s.NoEvents()
	}
	set(s, "false")
	id := post(s, "alice", "https://x.org")
	s.Skip()
	read(s)
	set(s, "true")
	read(s)
	if n := len(f.Requested()); n != 0 || content(s, id) != link("https://x.org") {
		t.Errorf("disabled: requested %d times, %s", n, content(s, id))
	}
	id = post(s, "alice", "https://x.org")
	set(s, "false")
	read(s)
	if n := len(f.Requested()); n != 0 || content(s, id) != link("https://x.org") {
		t.Errorf("disabled in the meantime: requested %d times, %s", n, content(s, id))
	}
}

func TestChangedDuringRead(t *testing.T) {
	s, f := open(t)
	for _, c := range []struct {
		name, to  string
		html      string
		asked     []string // if the change precedes the read
		askedLate []string // if it happens during the read
	}{
		{"another page", "https://y.org", link("https://y.org") + "\n" + embed("https://y.org", "Y", ""),
			[]string{"https://y.org"}, []string{"https://x.org", "https://y.org"}},
		{"no page", "plain", "<p>plain</p>", nil, []string{"https://x.org"}},
		{"the same page", "[a](https://x.org)", `<p><a href="https://x.org">a</a></p>` + "\n" + embed("https://x.org", "X",
			"about x"), []string{"https://x.org"}, []string{"https://x.org"}},
		{"deleted", "", "", nil, []string{"https://x.org"}},
	} {
		change := func(id int64) {
			if c.to == "" {
				s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
				return
			}
			edit(s, id, c.to)
		}
		for _, late := range []bool{false, true} {
			s.Clock.Advance(30 * 24 * time.Hour) // the cache has expired
			id := post(s, "alice", "https://x.org")
			want := c.asked
			if late {
				want = c.askedLate
				f.OnRequest(func(string) error {
					f.OnRequest(nil)
					change(id)
					return nil
				})
			} else {
				change(id)
			}
			bob := watch(s, "bob")
			read(s)
			asked := f.Requested()
			same(t, c.name+": asked", asked, want...)
			got := bob.updates()
			if c.to == "" {
				same(t, c.name, got)
				continue
			}
			if html := content(s, id); html != c.html {
				t.Errorf("%s, late %v: %s\nwant %s", c.name, late, html, c.html)
			}
			if last := fmt.Sprintf("again %d %s", id, c.html); strings.Contains(c.html, "message_embed") != slices.Contains(got,
				last) {
				t.Errorf("%s, late %v: %q", c.name, late, got)
			}
		}
	}
}

// If the pages of a message cannot be read, they are read again some minutes later. The message is dropped from the
// queue if its pages cannot be read in three attempts.
func TestInterrupted(t *testing.T) {
	s, f := open(t)
	id := post(s, "alice", "https://x.org")
	fail := errors.New("stopped")
	f.OnRequest(func(string) error { return fail })
	if err := s.App.RunJob(t.Context(), "previews.read"); !errors.Is(err, fail) {
		t.Errorf("got %v", err)
	}
	f.OnRequest(nil)
	s.Restart()
	read(s)
	same(t, "too early", f.Requested(), "https://x.org")
	s.Clock.Advance(6 * time.Minute)
	read(s)
	if got := content(s, id); !strings.Contains(got, "message_embed") {
		t.Errorf("got %s", got)
	}
	f.Requested()
	id = post(s, "alice", "https://y.org")
	f.OnRequest(func(string) error { return fail })
	for range 5 {
		_ = s.App.RunJob(t.Context(), "previews.read")
		s.Clock.Advance(6 * time.Minute)
	}
	if got := f.Requested(); len(got) != 3 || strings.Contains(content(s, id), "message_embed") {
		t.Errorf("tried %d times", len(got))
	}
}

func TestCacheExpires(t *testing.T) {
	s, f := open(t)
	ask := func(want int, address string) {
		t.Helper()
		post(s, "alice", address)
		read(s)
		if n := len(f.Requested()); n != want {
			t.Errorf("%s: requested %d times, want %d", address, n, want)
		}
	}
	ask(1, "https://x.org")
	ask(1, "https://none.org")
	s.Clock.Advance(61 * time.Minute)
	ask(0, "https://x.org")
	ask(1, "https://none.org")
	s.Clock.Advance(7 * 24 * time.Hour)
	ask(1, "https://x.org")
	for n := range 2 { // 48 pages, 30 of which are cached
		s.Clock.Advance(time.Minute)
		text := ""
		for i := range 24 {
			text += fmt.Sprintf("https://p%d.org ", n*24+i)
		}
		ask(24, text)
	}
	s.RunJob("previews.forget")
	ask(1, "https://x.org")
	ask(0, "https://p47.org")
}

// The real adapter reads a page on this machine only if the configuration allows its address.
func TestReal(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>It's &lt;here&gt;</title><meta property="og:image" content="/i.png">`))
	}))
	t.Cleanup(site.Close)
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		networks string
		shown    bool
	}{{"[]", false}, {"[127.0.0.0/8]", true}} {
		config := cheap + "adapters: {pages: {use: web, ports: [" + port + "], networks: " + c.networks + "}}"
		s := kittest.StartWith(t, kittest.Options{Config: config}, all(page.Module)...)
		set(s, "true")
		id := post(s, "alice", site.URL)
		read(s)
		want := link(site.URL)
		if c.shown {
			want += "\n" + embed(site.URL, "It's &lt;here&gt;", "")
		}
		if got := content(s, id); got != want {
			t.Errorf("%s: %s\nwant %s", c.networks, got, want)
		}
	}
}
