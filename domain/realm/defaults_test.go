package realm_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Every plain setting has one row, whose default passes its own check.
func TestTable(t *testing.T) {
	rows := map[string]int{}
	for _, r := range realm.Rows() {
		rows[r.Name]++
		if r.Check != nil && r.Name != "name" { // a realm has no default name
			if err := r.Check(r.Name, r.Default); err != nil {
				t.Errorf("default of %s: %v", r.Name, err)
			}
		}
	}
	typ := reflect.TypeFor[realm.Settings]()
	for i := range typ.NumField() {
		name := typ.Field(i).Tag.Get("json")
		if name != "groups" && rows[name] != 1 {
			t.Errorf("%s has %d rows", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("row %s has no setting", name)
	}
}

// Decoding over one realm's defaults does not affect other realms.
func TestDefaultsAreNotShared(t *testing.T) {
	s := realm.Defaults()
	if err := json.Unmarshal([]byte(`{"message_content_edit_limit_seconds":60}`), &s); err != nil ||
		*s.MessageContentEditLimitSeconds != 60 {
		t.Fatalf("%+v, %v", s, err)
	}
	if got := *realm.Defaults().MessageContentEditLimitSeconds; got != 600 {
		t.Errorf("the default has become %d", got)
	}
}

func TestDefaults(t *testing.T) {
	s := realm.Defaults()
	if !s.InviteRequired || s.WaitingPeriodThreshold != 0 || s.MessageRetentionDays != -1 ||
		*s.MessageContentEditLimitSeconds != 600 {
		t.Errorf("defaults: %+v", s)
	}
	for _, r := range group.Rules(group.OfRealm) {
		if got := s.Groups[r.Name]; got.Group != r.Default {
			t.Errorf("%s is %+v, want %s", r.Name, got, group.SystemName(r.Default))
		}
		if !r.Accepts(r.Default) {
			t.Errorf("%s rejects its own default", r.Name)
		}
	}
}

func TestWith(t *testing.T) {
	n := func(x int) *int { return &x }
	now := realm.Defaults()
	for _, c := range []struct {
		name  string
		value any
		ok    bool
	}{
		{"name", "Stoics", true},
		{"name", "  ", false},
		{"name", "Sto\na", false},
		{"name", strings.Repeat("é", 40), true},
		{"name", strings.Repeat("é", 41), false},
		{"description", strings.Repeat("x", 1001), false},
		{"description", "a\x00b", false},
		{"org_type", 20, true},
		{"org_type", 21, false},
		{"message_content_edit_limit_seconds", (*int)(nil), true},
		{"message_content_edit_limit_seconds", n(60), true},
		{"message_content_edit_limit_seconds", n(0), false},
		{"message_content_edit_limit_seconds", n(-5), false},
		{"message_retention_days", 0, false},
		{"message_retention_days", 30, true},
		{"digest_weekday", 7, false},
		{"topics_policy", "empty_topic_only", false},
		{"media_preview_size", 120, false},
		{"video_chat_provider", 3, false},
		{"jitsi_server_url", "https://meet.example.com", true},
		{"jitsi_server_url", "javascript:alert(1)", false},
		{"default_language", "klingon", false},
		{"waiting_period_threshold", -1, false},
		{"default_avatar_source", "U", false},
	} {
		next, changes, err := now.With(map[string]any{c.name: c.value})
		if (err == nil) != c.ok || c.ok && len(changes) != 1 {
			t.Errorf("%s = %v: changes %v, %v; want ok %v", c.name, c.value, changes, err, c.ok)
		}
		if !c.ok && !reflect.DeepEqual(next, now) {
			t.Errorf("%s = %v: refused, but changed", c.name, c.value)
		}
	}
	if _, changes, err := now.With(map[string]any{"message_content_edit_limit_seconds": n(600)}); err != nil ||
		len(changes) != 0 {
		t.Errorf("the same limit counts as changed: %v, %v", changes, err)
	}
}

func TestMayChange(t *testing.T) {
	for name, want := range map[string]user.Role{
		"name": user.Admin, "message_retention_days": user.Owner, "invite_required": user.Owner,
		"can_create_groups":      user.Owner,
		"can_invite_users_group": user.Owner, "can_resolve_topics_group": user.Admin, "icon_source": 0,
	} {
		if got := realm.MayChange(name); got != want {
			t.Errorf("MayChange(%s) = %d, want %d", name, got, want)
		}
	}
}

func TestGroupedDoesNotModify(t *testing.T) {
	old := realm.Defaults()
	now := old.Grouped(map[string]group.Setting{"can_invite_users_group": group.Named(group.Nobody)})
	if old.Groups["can_invite_users_group"].Group != group.Members ||
		now.Groups["can_invite_users_group"].Group != group.Nobody {
		t.Error("old and new settings share a map")
	}
}
