package messages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// startWithPreviews starts a server with a module that has previews of all pages. The module calls meanwhile while
// messages are being rerendered.
func startWithPreviews(t *testing.T, meanwhile *func(pages []string)) *kittest.Server {
	t.Helper()
	module := kit.Define("pages", "Previews pages.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(func(_ context.Context,
			q message.PagePreviews) (map[string]markdown.Embed, error) {
			all := map[string]markdown.Embed{}
			for _, p := range q.Pages {
				all[p] = markdown.Embed{Title: "T", Image: p + "/i.png"}
			}
			if *meanwhile != nil {
				(*meanwhile)(q.Pages)
			}
			return all, nil
		})}}, nil
	})
	cheap := kittest.Options{Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"}
	s := kittest.StartWith(t, cheap, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module,
		events.Module, module)
	s.As("olga").Do("PATCH /realm", "inline_url_embed_preview", "true").OK()
	return s
}

func rerender(s *kittest.Server, ids ...int64) error {
	s.T.Helper()
	all := make([]message.ID, len(ids))
	for i, id := range ids {
		all[i] = message.ID(id)
	}
	return s.Ports.Rerenderer.Rerender(s.T.Context(), s.Realm, all...)
}

func content(s *kittest.Server, id int64) string {
	s.T.Helper()
	return s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("message.content")
}

func shows(target string) string {
	return `<p><a href="` + target + `">` + target + "</a></p>\n" +
		`<div class="message_embed"><a class="message_embed_image" href="` + target +
		`" style="background-image: url(&quot;` + target +
		`/i.png&quot;)"></a><div class="data-container"><div class="message_embed_title"><a href="` +
		target + `" title="T">T</a></div></div></div>`
}

func TestRerender(t *testing.T) {
	var meanwhile func([]string)
	s := startWithPreviews(t, &meanwhile)
	id := post(s, "alice", "general", "x", "https://x.org")
	plain := post(s, "alice", "general", "x", "plain")
	direct := sendDirect(s, "alice", "https://y.org", "bob")
	byBot := post(s, "bot", "general", "x", "https://x.org")
	alice, bob, adam, guest := openQueue(s, "alice"), openQueue(s, "bob"), openQueue(s, "adam"), openQueue(s, "guest")
	s.Clock.Advance(time.Minute)
	s.Skip()
	if err := rerender(s, id, plain, direct, byBot, id, 1<<40); err != nil {
		t.Fatal(err)
	}
	now := s.Clock.Now().Unix()
	event := func(id int64, target, flags string) string {
		return fmt.Sprintf(`{"type":"update_message","user_id":null,"rendering_only":true,"message_id":%d,"message_ids":[%d],"edit_timestamp":%d,
			"content":%q,"rendered_content":%q,"flags":%s}`, id, id, now, target, shows(target), flags)
	}
	sameJSON(t, "alice", alice.of("update_message"), event(id, "https://x.org", `[]`),
		event(direct, "https://y.org", `[]`))
	sameJSON(t, "bob", bob.of("update_message"), event(id, "https://x.org", `[]`), event(direct, "https://y.org", `[]`))
	sameJSON(t, "guest", guest.of("update_message"), event(id, "https://x.org", `[]`))
	sameJSON(t, "adam", adam.of("update_message"))
	s.EventsOf("update_message", "update_message subscribers:general", "update_message users:alice,bob")
	if got := content(s, id); got != shows("https://x.org") {
		t.Errorf("got %s", got)
	}
	if got := content(s, byBot); strings.Contains(got, "message_embed") {
		t.Errorf("a bot's message has previews: %s", got)
	}
	m := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	if m.Has("message.last_edit_timestamp") || m.Has("message.edit_history") {
		t.Errorf("re-rendering counts as an edit: %v", m.Get("message"))
	}
	if h := s.As("bob").Do(fmt.Sprintf("GET /messages/%d/history", id)).OK(); !h.Has("message_history.0") ||
		h.Has("message_history.1") {
		t.Errorf("history %v", h.Get("message_history"))
	}
	if err := rerender(s, id, plain, direct); err != nil {
		t.Fatal(err)
	}
	s.NoEvents()
	s.As("olga").Do("PATCH /realm", "inline_url_embed_preview", "false").OK()
	if err := rerender(s, id); err != nil || strings.Contains(content(s, id), "message_embed") {
		t.Errorf("turned off: %v, %s", err, content(s, id))
	}
}

func TestRerenderConcurrently(t *testing.T) {
	var meanwhile func([]string)
	s := startWithPreviews(t, &meanwhile)
	adamQueue, bob := openQueue(s, "adam"), openQueue(s, "bob")
	once := func(do func(id int64)) int64 {
		t.Helper()
		id := post(s, "alice", "general", "x", "https://x.org")
		meanwhile = func([]string) {
			meanwhile = nil
			do(id)
		}
		bob.poll()
		if err := rerender(s, id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := once(func(id int64) { edit(s, "alice", id, "content", "https://z.org").OK() })
	if got := content(s, id); got != shows("https://z.org") {
		t.Errorf("edited concurrently: %s", got)
	}
	got := bob.of("update_message")
	if len(got) != 2 || !strings.Contains(got[0], `"rendering_only":false`) ||
		!strings.Contains(got[1], `"rendering_only":true`) || strings.Contains(got[1], "x.org") {
		t.Errorf("edited concurrently: %v", got)
	}
	id = once(func(id int64) { edit(s, "alice", id, "content", "no link").OK() })
	if got := content(s, id); got != "<p>no link</p>" {
		t.Errorf("without the link: %s", got)
	}
	if got := bob.of("update_message"); len(got) != 1 || !strings.Contains(got[0], `"rendering_only":false`) {
		t.Errorf("without the link: %v", got)
	}
	once(func(id int64) { s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK() })
	if got := bob.of("update_message"); len(got) != 0 {
		t.Errorf("deleted: %v", got)
	}
	id = once(func(id int64) {
		edit(s, "olga", id, "stream_id", fmt.Sprint(s.ChannelID("secret")), "send_notification_to_new_thread", "false").OK()
	})
	if got := content(s, id); got != shows("https://x.org") {
		t.Errorf("moved: %s", got)
	}
	if got := bob.of("update_message"); len(got) != 0 {
		t.Errorf("bob lost access, and received %v", got)
	}
	if got := adamQueue.of("update_message"); len(got) != 0 {
		t.Errorf("adam never had the messages, and received %v", got)
	}
	n := 0
	id = post(s, "alice", "general", "x", "https://x.org")
	meanwhile = func([]string) {
		n++
		edit(s, "alice", id, "content", fmt.Sprintf("https://x%d.org", n)).OK()
	}
	if err := rerender(s, id); err == nil || n != 3 {
		t.Errorf("edited repeatedly: %v after %d", err, n)
	}
	meanwhile = nil
	if got := content(s, id); strings.Contains(got, "message_embed") {
		t.Errorf("edited repeatedly: %s", got)
	}
}

// A delayed rerendering event does not revert a later edit.
func TestRerenderThenEdit(t *testing.T) {
	var meanwhile func([]string)
	s := startWithPreviews(t, &meanwhile)
	id := post(s, "alice", "general", "x", "https://x.org")
	bob := openQueue(s, "bob")
	if err := rerender(s, id); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Second)
	edit(s, "alice", id, "content", "other").OK()
	if got := bob.of("update_message"); len(got) != 1 || !strings.Contains(got[0], `"rendering_only":false`) {
		t.Errorf("got %v", got)
	}
}

func sql(s *kittest.Server, text string, args ...any) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).NewRaw(text, args...).Exec(ctx)
		return err
	})
}

func number(s *kittest.Server, text string, args ...any) int64 {
	s.T.Helper()
	var n int64
	s.Do(func(ctx context.Context) error { return s.App.DB().From(ctx).NewRaw(text, args...).Scan(ctx, &n) })
	return n
}

func TestOlderRendering(t *testing.T) {
	var meanwhile func([]string)
	s := startWithPreviews(t, &meanwhile)
	link := s.URL + "/#narrow/channel/" + fmt.Sprint(s.ChannelID("general"))
	id := post(s, "alice", "general", "x", "see [here]("+link+") and https://x.org")
	broken := post(s, "alice", "general", "x", "fine")
	other := post(s, "alice", "general", "x", "ten :smile:")
	today := post(s, "alice", "general", "x", "<time:3:04 PM>")
	version := number(s, "SELECT render_version FROM messages WHERE id = ?", id)
	want, day := content(s, id), content(s, today)
	if !strings.Contains(day, s.Clock.Now().UTC().Format("2006-01-02")+"T15:04:00Z") {
		t.Errorf("a timestamp is %s", day)
	}
	sql(s, "UPDATE messages SET rendered = '<p>old</p>', render_version = 0")
	sql(s, "UPDATE messages SET content = ? WHERE id = ?", strings.Repeat(":smile: ", 20_000), broken)
	s.Skip()
	s.RunJob("messages.rendering")
	if got := content(s, other); got != "<p>old</p>" {
		t.Errorf("a recent message: %s", got)
	}
	s.Clock.Advance(25 * time.Hour)
	s.RunJob("messages.rendering")
	s.NoEvents()
	if got := content(s, id); !strings.HasPrefix(got, want+"\n"+`<div class="message_embed">`) ||
		!strings.Contains(got, `"/#narrow`) && !strings.Contains(got, `"#narrow`) {
		t.Errorf("got %s\nwant %s and an embed", got, want)
	}
	if got := content(s, today); got != day {
		t.Errorf("a timestamp became %s, was %s", got, day)
	}
	if got := content(s, broken); got != "<p>old</p>" {
		t.Errorf("a text that cannot be rendered became %.100s", got)
	}
	if n := number(s, "SELECT COUNT(*) FROM messages WHERE render_version <> ?", version); n != 0 {
		t.Errorf("%d messages of an older version are left", n)
	}
	// The job does not check them again; newer renderings stay.
	sql(s, "UPDATE messages SET render_version = 0 WHERE id = ?", id)
	late := post(s, "alice", "general", "x", "late")
	sql(s, "UPDATE messages SET render_version = 0 WHERE id = ?", late)
	s.Clock.Advance(time.Hour)
	s.RunJob("messages.rendering")
	if n := number(s, "SELECT render_version FROM messages WHERE id = ?", late); n != version {
		t.Errorf("a later message has version %d", n)
	}
	if n := number(s, "SELECT render_version FROM messages WHERE id = ?", id); n != 0 {
		t.Errorf("re-rendered messages were checked again")
	}
	// If a newer version has rendered the messages, a server with an older version leaves them unchanged.
	sql(s, "UPDATE message_rendering SET version = ?, done = 0", version+1)
	s.RunJob("messages.rendering")
	if n := number(s, "SELECT render_version FROM messages WHERE id = ?", id); n != 0 {
		t.Errorf("re-rendered with older rules")
	}
	sql(s, "UPDATE message_rendering SET version = ?", version-1)
	s.RunJob("messages.rendering")
	if n := number(s, "SELECT render_version FROM messages WHERE id = ?", id); n != version {
		t.Errorf("a new version does not start from the beginning")
	}
}
