package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/erase"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// counting is a module that counts rows for a test, and can block the deletion of a realm or of a person's data.
type counting struct {
	db     *bunstore.DB
	broken error
}

func (c *counting) module() kit.Module {
	type needs struct {
		fx.In
		DB *bunstore.DB
	}
	return kit.Define("counting", "Counts rows.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		c.db = n.DB
		return kit.Parts{
			Hooks: []kit.Hook{
				kit.On(func(context.Context, *realm.Erasing) error { return c.broken }),
				kit.On(func(context.Context, *user.Erasing) error { return c.broken }).Order(9),
			},
		}, nil
	})
}

// cutOff is a unit of work that fails after a number of successful calls.
type cutOff struct {
	ports.UnitOfWork
	left, cuts int
}

var errCutOff = errors.New("cut off")

func (w *cutOff) Do(ctx context.Context, fn func(context.Context) error) error {
	if w.left--; w.left < 0 {
		w.cuts++
		return errCutOff
	}
	return w.UnitOfWork.Do(ctx, fn)
}

// fill adds rows to tables that settle leaves empty, and returns the address of an image.
func (p *place) fill(t *testing.T, s *kittest.Server) string {
	t.Helper()
	o, alice, ch := p.olga, p.ids["user"], p.ids["channel"]
	say := func(text string) string {
		return id(o.Do("POST /messages", "type", "channel", "to", ch, "topic", "filling", "content", text).OK())
	}
	first := say("first")
	o.Do("POST /messages", "type", "direct", "to", "["+alice+"]", "content", "hello", "queue_id", p.ids["queue"],
		"local_id", "1").OK()
	o.Do("POST /messages/flags", "messages", "["+first+"]", "op", "add", "flag", "starred").OK()
	o.Do("POST /messages/flags", "messages", "["+first+"]", "op", "remove", "flag", "read").OK()
	o.Do("PATCH /messages/"+first, "content", "second").OK()
	o.Do("DELETE /messages/" + say("gone")).OK()
	o.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"reports"}]`, "invite_only", "true").OK()
	o.Do("PATCH /realm", "moderation_request_channel_id",
		kittest.JSON(o.Do("GET /get_stream_id", "stream", "reports").OK().Get("stream_id"))).OK()
	o.Do("POST /messages/"+first+"/report", "report_type", "spam").OK()
	say("/poll canary")
	for _, call := range [][]string{
		{"POST /user_topics", "stream_id", ch, "topic", "filling", "visibility_policy", "3"},
		{"POST /users/me/muted_users/" + alice}, {"POST /users/me/alert_words", "alert_words", `["canary"]`},
		{"PATCH /stoa/settings/user", "settings", `{"own_motto":"canary"}`},
		{"POST /users/me/presence", "status", "active"}, {"POST /users/me/status", "status_text", "away"},
		{"PATCH /settings", "enter_sends", "true"}, {"GET /streams/" + ch + "/email_address"},
		{"PATCH /users/me/profile_data", "data", `[{"id":` + p.ids["field"] + `,"value":"x"}]`},
		{"POST /user_groups/" + p.ids["first"] + "/subgroups", "add", "[" + p.ids["group"] + "]"},
		{"PATCH /realm", "message_retention_days", "9000"},
		{"POST /users/me/onboarding_steps", "onboarding_step", "intro_resolve_topic"},
		{"POST /users", "email", "awaited@example.com", "full_name", "Awaited", "password", "correct horse battery"},
		{"POST /saved_snippets", "title", "canary", "content", "canary"},
		{"POST /reminders", "message_id", first, "scheduled_delivery_timestamp", "4000000000", "note", "canary"},
		{"PATCH /users/me/do_not_disturb", "schedule", `{"days":[1],"from":"09:00","to":"18:00"}`},
		{"POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"canary"}]`},
		{"POST /navigation_views", "fragment", "inbox", "is_pinned", "true"},
	} {
		o.Do(call[0], call[1:]...).OK()
	}
	bot := s.WithKey(o.Do("GET /users/"+p.ids["bot"]).OK().String("user.email"),
		o.Do("GET /bots/"+p.ids["bot"]+"/api_key").OK().String("api_key"))
	if p.realm != s.Realm {
		bot = bot.At(elsewhere)
	}
	bot.Do("PUT /bot_storage", "storage", `{"a":"b"}`).OK()
	service := o.Do("POST /bots", "full_name", "Service", "short_name", "service", "bot_type", "3", "service_name",
		"canary",
		"payload_url", `"https://example.com/"`).OK().Int("user_id")
	o.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", service), "content", "call").OK()
	file := o.Upload("POST /user_uploads", "a.png", kittest.PNG(4, 4)).OK().String("url")
	say("[a](" + file + ")")
	o.Do("POST /scheduled_messages", "type", "channel", "to", ch, "topic", "filling", "content", "[a]("+file+")",
		"scheduled_delivery_timestamp", "4000000000").OK()
	o.Do("GET /user_uploads/" + strings.TrimPrefix(file, "/user_uploads/")).OK()
	o.Do("POST /register_client_device").OK()
	o.Do("POST /users/me/android_gcm_reg_id", "token", "canary").OK()
	o.Upload("POST /realm/emoji/canary", "a.png", kittest.PNG(4, 4)).OK()
	picture := o.Upload("POST /users/me/avatar", "a.png", kittest.PNG(4, 4)).OK().String("avatar_url")
	me := user.ID(o.Do("GET /users/me").OK().Int("user_id"))
	if _, err := s.Ports.Sessions.Begin(t.Context(), user.Actor{Realm: p.realm}, me); err != nil {
		t.Fatal(err)
	}
	harness.InstallGuest(s, p.realm, `{"abi":1,"name":"notes","title":"Notes","version":"1","hooks":["message"],
		"permissions":["storage","read_messages"],"routes":[{"method":"POST","path":"/note","access":"users"}]}`,
		`{"act":"set_value","args":{"key":"note","value":"canary"}}`)
	o.Do("POST /modules/notes/note").OK()
	say("@**Notes** canary")
	o.Do("POST /export/realm", "export_type", "full_with_consent").OK()
	s.RunJob("exports.write")
	s.Clock.Advance(10 * time.Minute)
	s.RunJob("messages.search")
	s.RunJob("channels.traffic")
	return picture
}

func id(a *kittest.Response) string { return kittest.JSON(a.Get("id")) }

// TestDeletedRealm checks that a deactivated realm can be reactivated during its retention period. After that, it is
// deleted with its rows in all tables and all its blobs, and other realms lose nothing.
func TestDeletedRealm(t *testing.T) {
	c := &counting{}
	s, here := oneRealm(t, c.module())
	here.settle()
	ours := here.fill(t, s)
	before := c.rows(t, s)
	there := anotherRealm(t, s)
	there.settle()
	theirs := there.fill(t, s)
	c.fillTables(t, s, there, before)
	for table, n := range c.rows(t, s) {
		if n <= before[table] && !slices.Contains(ofKernel[1:], table) {
			t.Errorf("%s has no rows of the realm, so this test does not cover it", table)
		}
	}
	shown := func(picture string, want int) {
		t.Helper()
		if a := s.Anonymous().Under("").Do("GET " + picture); a.Status != want {
			t.Errorf("image: status %d, want %d", a.Status, want)
		}
	}
	shown(theirs, 200)

	// The realm is deactivated, reactivated in time, and deactivated again.
	days := 20
	end := func() {
		t.Helper()
		if err := s.Ports.States.Deactivate(t.Context(), there.realm, &days); err != nil {
			t.Fatal(err)
		}
	}
	end()
	s.Clock.Advance(19 * 24 * time.Hour)
	s.RunJob("server.erase")
	if err := s.Ports.States.Reactivate(t.Context(), there.realm); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(2 * 24 * time.Hour)
	s.RunJob("server.erase")
	there.olga.Do("GET /users/me").OK()
	shown(theirs, 200)
	end()
	s.Clock.Advance(20 * 24 * time.Hour)

	// A run is interrupted, after which the realm cannot be reactivated.
	c.broken = errors.New("out of order")
	if err := s.App.RunJob(t.Context(), "server.erase"); !errors.Is(err, c.broken) {
		t.Fatalf("an interrupted run: %v", err)
	}
	if err := s.Ports.States.Reactivate(t.Context(), there.realm); !errs.Is(err, errs.BadRequest) {
		t.Errorf("reactivated during the deletion: %v", err)
	}
	there.olga.Do("GET /users/me").Error(401, "REALM_DEACTIVATED", "")
	c.broken = nil

	// Any transaction may be the last one of a run. The next run continues after it.
	work := &cutOff{UnitOfWork: s.Ports.Work}
	eraser := &erase.Eraser{
		Store: c.db, Work: work, Directory: s.Ports.Directory, Hooks: s.Ports.Hooks, States: s.Ports.States,
		Logs: s.Ports.Work.(erase.Logs),
		Log:  slog.New(slog.DiscardHandler), Collected: s.Ports.Collected,
	}
	for n := 1; ; n++ {
		work.left = n
		err := eraser.Job().Run(t.Context())
		if err == nil {
			break
		}
		if !errors.Is(err, errCutOff) || n > 500 {
			t.Fatal(err)
		}
	}
	if work.cuts < 20 {
		t.Errorf("the runs were interrupted only %d times", work.cuts)
	}
	s.RunJob("server.erase") // there must be nothing left to do

	after := c.rows(t, s)
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if after[table] != before[table] {
			t.Errorf("%s has %d rows, and had %d before the realm was created", table, after[table], before[table])
		}
	}
	shown(theirs, 404)
	shown(ours, 200)
	if all, err := s.Ports.Realms.All(t.Context()); err != nil || !slices.Equal(all, []realm.ID{here.realm}) {
		t.Errorf("realms: %v, %v", all, err)
	}
	s.Clock.Advance(2 * time.Second)
	there.olga.Do("GET /users/me").Error(404, "NONEXISTENT_SUBDOMAIN", "")
	here.olga.Do("GET /messages/" + here.ids["message"]).OK()
	if got := c.rows(t, s)["realm_logs"]; got != before["realm_logs"] {
		t.Errorf("%d logs, and %d before the realm was created", got, before["realm_logs"])
	}
}
