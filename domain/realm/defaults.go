package realm

import (
	"maps"
	"net/url"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// Row describes a plain setting, one that is not group-valued.
type Row struct {
	setting.Row
	MinRole user.Role // the lowest role allowed to change it; 0: none
	Dict    bool      // changes are announced by realm/update_dict, otherwise by realm/update
}

// Rows returns the table of all plain settings; for group-valued ones see group.Rules(group.OfRealm).
func Rows() []Row { return rows }

// Maximum lengths in code points.
const (
	maxName        = 40
	maxDescription = 1000
	maxWelcome     = 8000
	maxLanguage    = 40
)

var rows = []Row{
	admins("name", "", name),
	dict(admins("description", "", setting.Text(maxDescription))),
	admins("org_type", 0, setting.OneOf(0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000)),
	admins("default_language", "en", setting.Language),
	admins("default_code_block_language", "", setting.Text(maxLanguage)),
	admins("default_avatar_source", user.Gravatar, setting.OneOf(user.Gravatar, user.Generated)),
	fixed("icon_source", "G"),
	fixed("logo_source", "D"),
	fixed("night_logo_source", "D"),
	admins("video_chat_provider", JitsiCalls, setting.OneOf(0, JitsiCalls, BigBlueButtonCalls, TemplateCalls)),
	admins("jitsi_server_url", "", jitsi),
	admins("gif_rating_policy", 2, setting.Between(0, 5)),
	admins("welcome_message_custom_text", "", setting.Text(maxWelcome)),
	admins("want_advertise_in_communities_directory", false, nil),

	dict(admins("allow_message_editing", true, nil)),
	dict(admins("message_content_edit_limit_seconds", seconds(600), limit)),
	dict(admins("message_content_delete_limit_seconds", seconds(600), limit)),
	dict(admins("move_messages_within_stream_limit_seconds", seconds(7*24*3600), limit)),
	dict(admins("move_messages_between_streams_limit_seconds", seconds(7*24*3600), limit)),
	dict(
		admins("message_edit_history_visibility_policy", HistoryAll, setting.OneOf(HistoryAll, HistoryMoves, HistoryNone)),
	),
	owners("message_retention_days", -1, retention),
	dict(admins("topics_policy", "allow_empty_topic", setting.OneOf("allow_empty_topic", "disable_empty_topic"))),
	admins("inline_image_preview", true, nil),
	admins("inline_url_embed_preview", false, nil),
	admins("media_preview_size", 100, setting.OneOf(100, 150, 200)),
	admins("enable_read_receipts", true, nil),
	admins("send_channel_events_messages", true, nil),
	admins("message_content_allowed_in_email_notifications", true, nil),
	admins("digest_emails_enabled", false, nil),
	admins("digest_weekday", 1, setting.Between(0, 6)),
	admins("send_welcome_emails", true, nil),
	admins("moderation_request_channel_id", int64(-1), nil),
	admins("new_stream_announcements_stream_id", int64(-1), nil),
	admins("signup_announcements_stream_id", int64(-1), nil),
	admins("service_update_announcements_stream_id", int64(-1), nil),
	owners("invite_required", true, nil),
	owners("emails_restricted_to_domains", false, nil),
	owners("disallow_disposable_email_addresses", true, nil),
	owners("waiting_period_threshold", 0, setting.Between(0, 36500)),
	dict(owners("password_auth", true, nil)),
	admins("require_unique_names", false, nil),
	admins("name_changes_disabled", false, nil),
	admins("email_changes_disabled", false, nil),
	admins("avatar_changes_disabled", false, nil),
	admins("presence_disabled", false, nil),
	admins("enable_spectator_access", false, nil),
	admins("enable_guest_user_indicator", true, nil),
	admins("enable_guest_user_dm_warning", true, nil),
	admins("require_e2ee_push_notifications", false, nil),
	fixed("owner_full_content_access", false),
	dict(Row{setting.Row{Name: "upload_quota_mib", Default: (*int)(nil), Check: quota}, 0, false}),
}

// Defaults returns the settings of a new realm, except its name.
func Defaults() Settings {
	var s Settings
	setting.Fill(&s, plain())
	s.Groups = map[string]group.Setting{}
	for _, r := range group.Rules(group.OfRealm) {
		s.Groups[r.Name] = group.Named(r.Default)
	}
	return s
}

// With returns the settings with new plain values, given by wire name, and the changes. Errors: BadRequest.
func (s Settings) With(values map[string]any) (Settings, []setting.Change, error) {
	return setting.Apply(s, values, plain())
}

// Grouped returns the settings with the given group-valued settings replaced.
func (s Settings) Grouped(values map[string]group.Setting) Settings {
	all := maps.Clone(s.Groups)
	maps.Copy(all, values)
	s.Groups = all
	return s
}

// MayChange returns the lowest role allowed to change a setting, plain or group-valued, or 0 if none is.
func MayChange(name string) user.Role {
	switch name {
	case "string_id",
		"create_multiuse_invite_group",
		"can_create_groups",
		"can_invite_users_group",
		"can_manage_all_groups",
		"can_manage_billing_group":
		return user.Owner
	}
	for _, r := range rows {
		if r.Name == name {
			return r.MinRole
		}
	}
	return user.Admin
}

// InDict reports whether changes of a setting are announced by realm/update_dict, like those of all group-valued
// settings and of settings that clients show together.
func InDict(name string) bool {
	for _, r := range rows {
		if r.Name == name {
			return r.Dict
		}
	}
	return true
}

func plain() []setting.Row {
	out := make([]setting.Row, len(rows))
	for i, r := range rows {
		out[i] = r.Row
	}
	return out
}

func admins(name string, def any, check func(string, any) error) Row {
	return Row{setting.Row{Name: name, Default: def, Check: check}, user.Admin, false}
}

func owners(name string, def any, check func(string, any) error) Row {
	return Row{setting.Row{Name: name, Default: def, Check: check}, user.Owner, false}
}

func fixed(name string, def any) Row { return Row{setting.Row{Name: name, Default: def}, 0, false} }

// maxQuota is the maximum quota in MiB. Its value in bytes fits into an int64.
const maxQuota = 1 << 40

func quota(name string, v any) error {
	if n, _ := v.(*int); n != nil && (*n < 0 || int64(*n) > maxQuota) {
		return errs.Bad("Bad value for %q: want 0 to %d, or null", name, int64(maxQuota))
	}
	return nil
}

func dict(r Row) Row { r.Dict = true; return r }

func seconds(n int) *int { return &n }

func name(_ string, v any) error {
	s, _ := v.(string)
	switch {
	case strings.TrimSpace(s) == "":
		return errs.Bad("Organization name cannot be empty.")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errs.Bad("Invalid characters in organization name.")
	}
	return setting.Text(maxName)("Organization name", v)
}

// CheckWelcome validates the welcome message of new users (welcome_message_custom_text). Errors: BadRequest.
func CheckWelcome(text string) error {
	return setting.Text(maxWelcome)("welcome_message_custom_text", text)
}

// limit accepts nil, for no limit, and positive seconds.
func limit(name string, v any) error {
	if n, ok := v.(*int); !ok || n != nil && *n <= 0 {
		return errs.Bad("Bad value for '%s'", name)
	}
	return nil
}

// retention accepts days, or -1 for unlimited.
func retention(name string, v any) error {
	if n, ok := v.(int); !ok || n != -1 && n <= 0 {
		return errs.Bad("Bad value for '%s'", name)
	}
	return nil
}

// jitsi accepts "", for the server's default, and web URLs.
func jitsi(name string, v any) error {
	s, ok := v.(string)
	u, err := url.Parse(s)
	if !ok || len(s) > 200 || s != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return errs.Bad("Invalid %s", name)
	}
	return nil
}
