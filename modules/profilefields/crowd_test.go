package profilefields_test

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/profilefields"
	realms "github.com/stoachat/stoa/modules/realm"
)

// firstOfCrowd is the lowest id of the added users.
const firstOfCrowd = user.ID(1_000_000)

type dbNeeds struct {
	fx.In
	DB *bunstore.DB
}

// startMany starts a server with many additional users. The returned function sets the profile of all of them, as JSON.
func startMany(t testing.TB, many int) (*kittest.Server, func(profile string)) {
	t.Helper()
	var db *bunstore.DB
	crowd := kit.Define("crowd", "Many people.", kit.None{}, func(_ kit.None, n dbNeeds) (kit.Parts, error) {
		db = n.DB
		load := func(_ context.Context, _ realm.ID, b *directory.Builder) error {
			for i := range user.ID(many) {
				b.User(&user.User{
					ID: firstOfCrowd + i, DeliveryEmail: fmt.Sprintf("u%d@example.com", i), FullName: fmt.Sprint("User ", i),
					Role:   user.Member,
					Active: true, AvatarSource: user.Gravatar, AvatarVersion: 1, Settings: user.Defaults(),
				})
			}
			return nil
		}
		return kit.Parts{Directory: []directory.Part{{Name: "crowd", Load: load}}}, nil
	})
	s := kittest.StartWith(t,
		kittest.Options{Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
		realms.Module, accounts.Module, events.Module, profilefields.Module, crowd)
	return s, func(profile string) {
		s.Do(func(ctx context.Context) error {
			_, err := db.From(ctx).NewRaw(`INSERT INTO user_profiles (user_id, realm_id, said)
				WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < ?) SELECT ? + n, ?, ? FROM i`,
				many-1, firstOfCrowd, s.Realm, profile).Exec(ctx)
			return err
		})
	}
}

// TestPopularOptionRemoved checks that removing an option chosen by many users clears their values, with one client
// event per user but few log entries.
func TestPopularOptionRemoved(t *testing.T) {
	const many = 2_100
	s, all := startMany(t, many)
	color, other := add(s, 3, "Color", "field_data", list), add(s, 1, "Other")
	all(fmt.Sprintf(`{"%d":{"value":"r"},"%d":{"value":"r","rendered_value":"<p>r</p>"}}`, color, other))
	setValues(s, "alice", color, `"g"`).OK()
	q := s.As("bob").Register("event_types", `["realm_user"]`)
	s.Skip()
	patch(s, color, "field_data", `{"g":{"text":"Green","order":"1"}}`).OK()
	if n := len(s.Log()); n != many/500+2 {
		t.Errorf("%d entries", n)
	}
	var res struct {
		Events []struct {
			Person struct {
				UserID int64          `json:"user_id"`
				Field  map[string]any `json:"custom_profile_field"`
			}
		}
	}
	q.Take().JSON(&res)
	notified := map[int64]bool{}
	for _, e := range res.Events {
		if v, there := e.Person.Field["value"]; !there || v != nil {
			t.Fatalf("unexpected event %+v", e)
		}
		notified[e.Person.UserID] = true
	}
	if len(res.Events) != many || len(notified) != many {
		t.Errorf("%d events about %d users", len(res.Events), len(notified))
	}
	want := fmt.Sprintf(`{"%d":{"rendered_value":"<p>r</p>","value":"r"}}`, other)
	for _, m := range s.As("bob").Do("GET /users", "include_custom_profile_fields", "true").OK().Get("members").([]any) {
		u := m.(map[string]any)
		if id := fmt.Sprint(u["user_id"]); len(id) == 7 && text(u["profile_data"]) != want {
			t.Fatalf("%s has %s", id, text(u["profile_data"]))
		}
	}
	s.As("adam").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", other)).OK()
	for _, id := range []user.ID{firstOfCrowd, firstOfCrowd + many - 1} {
		if got := text(s.As("bob").Do(fmt.Sprintf("GET /users/%d", id), "include_custom_profile_fields",
			"true").OK().Get("user.profile_data")); got != "{}" {
			t.Errorf("%d has %s", id, got)
		}
	}
}

// BenchmarkRegister measures /register in a realm of 10,000 users, first with empty profiles, then with values in five
// fields each.
func BenchmarkRegister(b *testing.B) {
	s, all := startMany(b, 10_000)
	profile, empty := "", 0.0
	for i := range 5 {
		profile += fmt.Sprintf(`,"%d":{"value":"something short","rendered_value":"<p>something short</p>"}`,
			add(s, 1, fmt.Sprint("Field ", i)))
	}
	run := func(b *testing.B) float64 {
		b.Helper()
		for b.Loop() {
			if a := s.In(b).As("alice").Do("POST /register", "event_types", `["realm_user"]`, "fetch_event_types",
				`["realm_user"]`); a.Status != 200 {
				b.Fatal(a.Body)
			}
		}
		return b.Elapsed().Seconds() / float64(b.N)
	}
	b.Run("empty profiles", func(b *testing.B) { empty = run(b) })
	all("{" + profile[1:] + "}")
	b.Run("five fields", func(b *testing.B) { b.ReportMetric(run(b)/empty, "x-empty") })
}
