package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// Administrators can change the settings of many users at once.
func TestSettingsOfOthers(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
	id := func(name string) int64 { return int64(s.UserID(name)) }
	set := func(targets string, params ...string) *kittest.Response {
		return s.As("adam").Do("PATCH /settings", append([]string{"target_users", targets}, params...)...)
	}
	setEvent := func(who, property, value string) string {
		return fmt.Sprintf(`user_settings/update user:%s {"property":%q,"value":%s}`, who, property, value)
	}
	circle := s.As("olga").Do("POST /user_groups/create", "name", "circle", "description", "",
		"members", fmt.Sprintf("[%d,%d,%d]", id("bob"), id("bot"), id("guest")), "subgroups", "[4]").OK().Int("group_id")
	s.Skip()

	two := fmt.Sprintf(`{"user_ids":[%d,%d,%d]}`, id("bob"), id("alice"), id("bob"))
	set(two, "enter_sends", "true", "color_scheme", "2", "unheard_of", "1").
		Is(200, `{"result":"success","msg":"","ignored_parameters_unsupported":["unheard_of"]}`)
	s.Events(setEvent("alice", "color_scheme", "2"), setEvent("alice", "enter_sends", "true"),
		setEvent("bob", "color_scheme", "2"),
		setEvent("bob", "enter_sends", "true"))
	set(two, "enter_sends", "true").OK()
	s.NoEvents() // unchanged

	s.As("bob").Do("PATCH /settings", "color_scheme", "3").OK()
	s.Skip()
	set(fmt.Sprintf(`{"user_ids":[%d],"group_ids":[%d],"skip_if_already_edited":true}`, id("alice"), circle),
		"color_scheme", "1", "enter_sends", "false").OK()
	s.Events( // mona, adam and olga are in the moderators group; they have enter_sends false and color_scheme 1
		setEvent("alice", "color_scheme", "1"), setEvent("alice", "enter_sends", "false"),
		setEvent("bob", "enter_sends", "false"))
	set(fmt.Sprintf(`{"group_ids":[%d]}`, circle), "color_scheme", "2").OK()
	s.Events(setEvent("bob", "color_scheme", "2"), setEvent("olga", "color_scheme", "2"),
		setEvent("adam", "color_scheme", "2"),
		setEvent("mona", "color_scheme", "2"), setEvent("guest", "color_scheme", "2"))
	set(fmt.Sprintf(`{"user_ids":[%d,%d],"skip_if_already_edited":true}`, id("adam"), id("olga")), "color_scheme",
		"1").OK()
	s.Events(setEvent("olga", "color_scheme", "1")) // adam has changed this setting before

	// If this hides a user's address, everyone who could see it is notified, as if the user had hidden it.
	set(fmt.Sprintf(`{"user_ids":[%d]}`, id("alice")), "email_address_visibility", "4").OK()
	s.Events(`realm_user/update seeing:alice`, `realm_user/update seeing:alice`, `realm_user/update seeing:alice`,
		setEvent("alice", "email_address_visibility", "4"))

	for _, c := range []struct{ targets, name, value, msg string }{
		{two, "color_scheme", "9", ""},
		{two, "full_name", "Everybody", "target_users"},
		{two, "timezone", "Europe/Athens", "target_users"},
		{two, "new_password", "a new password", "target_users"},
		{`{"user_ids":[999]}`, "enter_sends", "true", "Invalid user ID"},
		{fmt.Sprintf(`{"user_ids":[%d]}`, id("bot")), "enter_sends", "true", "Invalid user ID"},
		{`{"group_ids":[999]}`, "enter_sends", "true", "Invalid user group ID"},
		{`{"user_ids":[],"group_ids":[]}`, "color_scheme", "9", ""},
		{`[4]`, "enter_sends", "true", ""},
		{`{"user_ids":4}`, "enter_sends", "true", ""},
	} {
		set(c.targets, c.name, c.value, "starred_message_counts", "false").Error(400, "BAD_REQUEST", c.msg)
	}
	for _, who := range []string{"mona", "alice", "guest"} {
		s.As(who).Do("PATCH /settings", "target_users", fmt.Sprintf(`{"user_ids":[%d]}`, id(who)), "enter_sends", "true").
			Error(400, "UNAUTHORIZED_PRINCIPAL", "administrator")
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", id("bob"))).OK()
	s.Skip()
	set(two, "starred_message_counts", "false").Error(400, "BAD_REQUEST", "Invalid user ID")
	set(fmt.Sprintf(`{"group_ids":[%d]}`, circle), "starred_message_counts", "false").OK()
	s.Events(setEvent("olga", "starred_message_counts", "false"), setEvent("adam", "starred_message_counts", "false"),
		setEvent("mona", "starred_message_counts", "false"), setEvent("guest", "starred_message_counts", "false"))

	s.Restart()
	for name, want := range map[string]string{"alice": "1 false true", "olga": "1 false false", "guest": "2 false false"} {
		a := s.As(name).Register().Start
		got := fmt.Sprint(a.Get("user_settings.color_scheme"), " ", a.Get("user_settings.enter_sends"), " ",
			a.Get("user_settings.starred_message_counts"))
		if got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
	}
}

// Only owners can change who can see an owner's address. If an administrator's request includes an owner, it changes
// nothing.
func TestAddressesOfOwners(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
	s.As("olga").Do("PATCH /settings", "email_address_visibility", "4").OK()
	set := func(who, params string, more ...string) *kittest.Response {
		return s.As(who).Do("PATCH /settings", append([]string{"target_users", params, "email_address_visibility", "1"},
			more...)...)
	}
	olga, both := fmt.Sprintf(`{"user_ids":[%d]}`, s.UserID("olga")),
		fmt.Sprintf(`{"user_ids":[%d,%d]}`, s.UserID("alice"), s.UserID("olga"))
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "4").OK()
	s.Skip()
	for _, targets := range []string{olga, both, `{"group_ids":[2]}`} {
		set("adam", targets, "enter_sends", "true").Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	}
	s.NoEvents()
	user := func(who string) any {
		return s.As("bob").Do(fmt.Sprintf("GET /users/%d", s.UserID(who))).OK().Get("user.delivery_email")
	}
	if got := fmt.Sprint(user("olga"), user("alice")); got != "<nil> <nil>" {
		t.Errorf("bob sees %s", got)
	}
	set("adam", both[:len(both)-1]+`,"skip_if_already_edited":true}`).OK() // this does not change olga
	s.As("adam").Do("PATCH /settings", "target_users", olga, "enter_sends", "true", "email_address_visibility", "4").OK()
	s.EventsOf("user_settings", `user_settings/update user:olga {"property":"enter_sends","value":true}`)
	for _, shows := range []string{"presence_enabled", "send_read_receipts", "send_private_typing_notifications",
		"send_stream_typing_notifications"} {
		s.As("olga").Do("PATCH /settings", shows, "false").OK()
		s.As("adam").Do("PATCH /settings", "target_users", olga, shows, "true").Error(400, "UNAUTHORIZED_PRINCIPAL",
			"Must be an organization owner")
		// The group includes olga, who already has this value.
		s.As("adam").Do("PATCH /settings", "target_users", `{"group_ids":[3]}`, shows, "false").OK()
	}
	set("olga", both).OK()
	if got := fmt.Sprint(user("olga"), " ", user("alice")); got != "olga@example.com alice@example.com" {
		t.Errorf("bob sees %s", got)
	}
}
