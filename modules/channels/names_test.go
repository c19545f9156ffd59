package channels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// Different spellings of one name.
const (
	composed   = "Café"
	decomposed = "Cafe\u0301"
	wide       = "Ｃａｆｅ\u0301"
	upper      = "CAFÉ"
)

func startOn(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
}

// set writes to the database without validation, as older versions could, and reloads everything.
func set(s *kittest.Server, query string, args ...any) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).ExecContext(ctx, query, args...)
		return err
	})
	s.Restart()
	s.Skip()
}

// Channel names are unique regardless of case and Unicode normalization form, and any spelling finds the channel.
func TestFormsOfChannelNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		olga := s.As("olga")
		create := func(name string) *kittest.Response {
			return olga.Do("POST /channels/create", "name", name, "subscribers", list(s, "olga"))
		}
		cafe := create(composed).OK().Int("id")
		street := create("Straße").OK().Int("id")
		rename := func(id int64, name string) *kittest.Response {
			return olga.Do(fmt.Sprintf("PATCH /streams/%d", id), "new_name", name)
		}
		s.Skip()
		for _, name := range []string{decomposed, wide, upper, " café\u00a0"} {
			create(name).Error(409, "CHANNEL_ALREADY_EXISTS", "")
			rename(street, name).Error(409, "CHANNEL_ALREADY_EXISTS", "")
			if id := s.As("bob").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id"); id != cafe {
				t.Errorf("%+q finds channel %d", name, id)
			}
		}
		create("STRASSE").Error(409, "CHANNEL_ALREADY_EXISTS", "")
		for _, name := range []string{"a\u202eb", "\u3164", "\u200bCafé", "ab\ufeff"} {
			create(name).Error(400, "BAD_REQUEST", "Invalid character in channel name, at position ")
			rename(cafe, name).Error(400, "BAD_REQUEST", "Invalid character in channel name, at position ")
		}
		create("\u200d").Error(400, "BAD_REQUEST", "Channel name can't be empty.")
		s.NoEvents()

		// Two spellings in one request name one channel, existing or new.
		subscribe := func(names string) *kittest.Response {
			return s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", names)
		}
		a := subscribe(fmt.Sprintf(`[{"name":%q},{"name":%q},{"name":"Σς"},{"name":"σσ"}]`, decomposed, upper)).OK()
		if got := kittest.JSON(a.Get("subscribed")); got != fmt.Sprintf(`{"%s":["Café","Σς"]}`, id(s, "bob")) {
			t.Errorf("subscribed: %s", got)
		}
		subscribe(`[{"name":"a\u202eb"}]`).Error(400, "BAD_REQUEST", "Invalid character in channel name, at position 2.")
		if got := kittest.JSON(s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions",
			fmt.Sprintf("[%q]", wide)).OK().Get("removed")); got != `["Café"]` {
			t.Errorf("removed: %s", got)
		}
		s.Skip()

		// Renaming a channel to another spelling of its own name is a change.
		for _, forms := range [][2]string{{composed, decomposed}, {decomposed, upper}, {upper, composed}} {
			rename(cafe, forms[1]).OK()
			s.EventsOf("stream", fmt.Sprintf(`stream/update knowing:%d {"stream_id":%d,"name":%q,"property":"name","value":%q}`,
				cafe, cafe, forms[0], forms[1]))
		}
		rename(cafe, composed).Error(400, "BAD_REQUEST", "Channel already has that name.")
		rename(cafe, "Bar").OK()
		create(upper).OK()
		rename(cafe, decomposed).Error(409, "CHANNEL_ALREADY_EXISTS", "")
		s.Restart()
		create(decomposed).Error(409, "CHANNEL_ALREADY_EXISTS", "")
	})
}

// Channels from before the rule keep their names, even equal or invisible ones, and can be used and changed.
func TestChannelNamesOlderThanTheRule(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		olga := s.As("olga")
		create := func(name string) int64 {
			return olga.Do("POST /channels/create", "name", name, "subscribers", "[]").OK().Int("id")
		}
		first, second, blind := create(composed), create("other"), create("blind")
		set(s, "UPDATE channels SET name = ?, name_key = ? WHERE id = ?", decomposed, "cafe\u0301", second)
		set(s, "UPDATE channels SET name = ?, name_key = ? WHERE id = ?", "\u200b", "\u200b", blind)
		for name, want := range map[string]int64{composed: first, decomposed: second, upper: first, "CAFE\u0301": second,
			wide: first} {
			if got := olga.Do("GET /get_stream_id", "stream", name).OK().Int("stream_id"); got != want {
				t.Errorf("%+q finds %d, want %d", name, got, want)
			}
		}
		patch := func(id int64, params ...string) *kittest.Response {
			return olga.Do(fmt.Sprintf("PATCH /streams/%d", id), params...)
		}
		for _, id := range []int64{first, second, blind} {
			patch(id, "description", "New.").OK()
		}
		a := s.As("bob").Do("POST /users/me/subscriptions", "subscriptions",
			fmt.Sprintf(`[{"name":%q},{"name":%q},{"name":"\u200b"}]`, composed, decomposed)).OK()
		if got := len(a.Get("subscribed." + id(s, "bob")).([]any)); got != 3 {
			t.Errorf("bob is subscribed to %d channels: %s", got, a.Body)
		}
		patch(second, "new_name", "CAFE\u0301").Error(409, "CHANNEL_ALREADY_EXISTS", "")
		patch(blind, "new_name", "\u200b").Error(400, "BAD_REQUEST", "Channel already has that name.")
		patch(second, "new_name", "Tea").OK()
		patch(first, "new_name", upper).OK()
		patch(blind, "new_name", "Seen").OK()
		s.Restart()
		if got := olga.Do("GET /get_stream_id", "stream", decomposed).OK().Int("stream_id"); got != first {
			t.Errorf("%d has the name, want %d", got, first)
		}
	})
}

func TestFormsOfFolderNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		create := func(name string) *kittest.Response {
			return s.As("adam").Do("POST /channel_folders/create", "name", name, "description", "")
		}
		patch := func(id int64, params ...string) *kittest.Response {
			return s.As("adam").Do(fmt.Sprintf("PATCH /channel_folders/%d", id), params...)
		}
		cafe, bar := create(composed).OK().Int("channel_folder_id"), create("Bar").OK().Int("channel_folder_id")
		s.Skip()
		for _, name := range []string{decomposed, wide, upper} {
			create(name).Error(400, "BAD_REQUEST", "Channel folder name already in use")
			patch(bar, "name", name).Error(400, "BAD_REQUEST", "Channel folder name already in use")
		}
		for _, name := range []string{"\u200b", "\u3164", "a\u202eb"} {
			create(name).Error(400, "BAD_REQUEST", "Invalid character in channel folder name, at position ")
			patch(cafe, "name", name).Error(400, "BAD_REQUEST", "Invalid character in channel folder name, at position ")
		}
		s.NoEvents()
		patch(cafe, "name", decomposed).OK()
		s.Events(fmt.Sprintf(`channel_folder/update everyone {"channel_folder_id":%d,"data":{"name":%q}}`, cafe, decomposed))

		// Two names from before the rule are the same, and invisible.
		set(s, "UPDATE channel_folders SET name = ? WHERE id = ?", "\u200b", cafe)
		set(s, "UPDATE channel_folders SET name = ? WHERE id = ?", "\u3164", bar)
		patch(cafe, "name", "\u200b\u200b", "description", "x").Error(400, "BAD_REQUEST", "Invalid character")
		patch(cafe, "name", "\u200b", "description", "x").OK()
		patch(bar, "is_archived", "true").OK()
		patch(bar, "is_archived", "false").Error(400, "BAD_REQUEST", "Channel folder name already in use")
		patch(bar, "is_archived", "false", "name", "Bar").OK()
		if got := folders(s, "adam"); got != "\u200b, Bar" {
			t.Errorf("folders: %q", got)
		}
	})
}

func TestFormsOfDefaultChannelGroupNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		create := func(name string) *kittest.Response {
			return s.As("adam").Do("POST /default_stream_groups/create", "group_name", name, "description", "", "stream_names",
				`["GENERAL"]`)
		}
		patch := func(id int, params ...string) *kittest.Response {
			return s.As("adam").Do(fmt.Sprintf("PATCH /default_stream_groups/%d", id), params...)
		}
		create(composed).OK()
		create("Bar").OK()
		s.Skip()
		for _, name := range []string{decomposed, wide, upper} {
			create(name).Error(400, "BAD_REQUEST", "Default channel group '"+name+"' already exists")
			patch(2, "new_group_name", name).Error(400, "BAD_REQUEST", "Default channel group '"+name+"' already exists")
		}
		create("a\u202eb").Error(400, "BAD_REQUEST", "Invalid character in default channel group name, at position 2.")
		create("\u200d").Error(400, "BAD_REQUEST", "Invalid default channel group name '\u200d'")
		s.NoEvents()
		patch(1, "new_group_name", upper).OK()
		s.EventsOf("default_stream_groups", "default_stream_groups nonguests")
		set(s, "UPDATE channel_bundles SET name = ?", "\u200b")
		patch(1, "new_group_name", "\u200b", "new_description", "New.").OK()
		patch(2, "new_group_name", "Bar").OK()
	})
}
