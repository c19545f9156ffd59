package access_test

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

func realmTable() table {
	d := &family{name: "domain", missing: map[string]string{"domain": "nowhere.example.org"},
		variants: []variant{{kind: "domain"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			name := w.fresh() + ".example.org"
			w.do("POST /realm/domains", "domain", name, "allow_subdomains", "false")
			return object{map[string]string{"domain": name, "id": name}}
		}}
	rows := []*row{
		{route: "GET mount /static/stoa/", rule: "Everyone.", who: anyone, call: "GET mount /static/stoa/icon.svg"},
		{route: "GET /realm/domains", rule: "Users.", who: users, on: d, found: listedIn("domains", "domain")},
		{route: "POST /realm/domains", rule: "Owners.", who: owners,
			with: []string{"domain", "d{n}.example.org", "allow_subdomains", "true"}},
		{route: "PATCH /realm/domains/:domain", rule: "Owners.", who: owners, on: d,
			with: []string{"allow_subdomains", "true"}},
		{route: "GET mount /generate_204", rule: "Everyone.", who: anyone},
		{route: "GET /realm/subdomain/:subdomain", rule: "Everyone.", who: anyone, call: "GET /realm/subdomain/:n"},
		nowhere("GET /realm/subdomain/:subdomain"),
		{route: "PATCH /realm/user_settings_defaults", rule: "Administrators.", who: admins,
			with: []string{"enter_sends", "false"}},
		{route: "POST /realm/deactivate", rule: "Owners, for their own realm; here one created for the test.", who: owners,
			do: func(w *fixture, x cell) *kittest.Response {
				c := x.c
				if c.role == user.Owner {
					c = w.ownerOfAnother()
				}
				return w.ask(c, "POST /realm/deactivate")
			}},
		{route: "DELETE /realm/domains/:domain", rule: "Owners.", who: owners, on: d, lasts: true},
	}
	for _, s := range realmSettings {
		value, who, rule := s.value, admins, "Administrators."
		if s.owner {
			who, rule = owners, "Owners."
		}
		if mine, set := settings[s.name]; set {
			value = mine
		}
		rows = append(rows, &row{route: "PATCH /realm", name: s.name, rule: rule, who: ownersAmongAdmins(who),
			with: []string{s.name, value}})
	}
	return table{"realm", "Settings of the organization.", rows}
}

// ownerOfAnother creates a realm and returns its owner.
func (w *fixture) ownerOfAnother() *caller {
	w.t.Helper()
	id, first := w.fresh(), w.elsewhere
	w.must(w.s.Ports.Work.Do(w.t.Context(), func(ctx context.Context) (err error) {
		w.elsewhere, err = w.s.Ports.Realms.Create(ctx, "Passing", id)
		return err
	}))
	c := &caller{name: "passing", role: user.Owner, elsewhere: true, host: id + "." + inRealm}
	w.createAccount(c, "passing"+id)
	w.elsewhere = first
	return c
}

// ownersAmongAdmins applies a rule only to administrators, and refuses everyone else.
func ownersAmongAdmins(d admission) admission {
	return func(c *caller) string {
		if no := admins(c); no != "" {
			return no
		}
		return d(c)
	}
}

// realmSettings lists a realm's settings with their current values.
var realmSettings = []struct {
	name, value string
	owner       bool
}{
	{"name", "Stoics", false}, {"description", "", false}, {"org_type", "0", false}, {"default_language", "en", false},
	{"default_code_block_language", "", false}, {"allow_message_editing", "true", false},
	{"message_content_edit_limit_seconds", "600", false},
	{"message_content_delete_limit_seconds", "600", false}, {"move_messages_within_stream_limit_seconds", "604800", false},
	{"move_messages_between_streams_limit_seconds", "604800", false},
	{"message_edit_history_visibility_policy", "all", false},
	{"topics_policy", "allow_empty_topic", false}, {"name_changes_disabled", "false", false},
	{"email_changes_disabled", "false", false},
	{"avatar_changes_disabled", "false", false}, {"require_unique_names", "false", false},
	{"inline_image_preview", "true", false},
	{"inline_url_embed_preview", "false", false}, {"digest_emails_enabled", "false", false},
	{"digest_weekday", "1", false},
	{"send_welcome_emails", "true", false}, {"send_channel_events_messages", "false", false},
	{"enable_read_receipts", "true", false},
	{"enable_spectator_access", "true", false}, {"enable_guest_user_indicator", "true", false},
	{"welcome_message_custom_text", "", false},
	{"want_advertise_in_communities_directory", "false", false},
	{"message_retention_days", "unlimited", true}, {"invite_required", "true", true},
	{"emails_restricted_to_domains", "false", true},
	{"disallow_disposable_email_addresses", "true", true}, {"waiting_period_threshold", "0", true},
	{"authentication_methods", `{"Email":true}`, true},
	{"create_multiuse_invite_group", to(group.Administrators), true}, {"can_create_groups", to(group.Members), true},
	{"can_invite_users_group", to(group.Members), true}, {"can_manage_all_groups", to(group.Owners), true},
	{"can_manage_billing_group", to(group.Administrators), true},
	{"can_access_all_users_group", to(group.Everyone), false}, {"can_add_subscribers_group", to(group.Members), false},
	{"can_create_public_channel_group", to(group.Members), false},
	{"can_create_private_channel_group", to(group.Members), false},
	{"can_create_web_public_channel_group", to(group.Owners), false},
	{"can_delete_any_message_group", to(group.Administrators), false},
	{"can_delete_own_message_group", to(group.Everyone), false},
	{"can_mention_many_users_group", to(group.Administrators), false},
	{"can_move_messages_between_channels_group", to(group.Members), false},
	{"can_move_messages_between_topics_group", to(group.Everyone), false},
	{"can_resolve_topics_group", to(group.Everyone), false}, {"can_set_delete_message_policy_group", to(group.Moderators),
		false},
	{"can_set_topics_policy_group", to(group.Members), false}, {"can_create_bots_group", to(group.Members), false},
	{"can_create_write_only_bots_group", to(group.Members), false},
	{"can_add_custom_emoji_group", to(group.Members), false},
	{"direct_message_initiator_group", to(group.Everyone), false},
	{"direct_message_permission_group", to(group.Everyone), false},
}

func to(g group.ID) string { return fmt.Sprintf(`{"new":%d}`, int64(g)) }
