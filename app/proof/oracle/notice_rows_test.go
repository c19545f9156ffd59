package oracle_test

// noticeRow is a setting, an action, and the notifications that bob gets for the action with each value of the setting.
type noticeRow struct {
	setting       string
	of            string // "channel", "topic", "organization"; "": bob's own
	one, other    string // values; the second is not the default, unless back is set
	given         []string
	what          string // the action; "": the setting only affects clients
	want, instead string // notifications for bob with each value
	back          string // the default; "": same as one
	online        bool   // bob's client is connected
}

// usual returns the setting's value in the other rows.
func (r noticeRow) usual() string {
	if r.back != "" {
		return r.back
	}
	return r.one
}

// undo returns the settings that revert given. In other rows, settings are on unless they are off by default.
func (r noticeRow) undo() []string {
	var out []string
	for i := 0; i+1 < len(r.given); i += 2 {
		name, value := r.given[i], "true"
		switch name {
		case "enable_stream_push_notifications":
			value = "false"
		case "muted channel":
			value = "false"
		case "followed":
			value = "0"
		}
		out = append(out, name, value)
	}
	return out
}

// noticeRows lists all settings about notifications.
func noticeRows() []noticeRow {
	const both = "1 push, email"
	noFollowed := []string{
		"followed", "3", "wildcard_mentions_notify", "false",
		"enable_followed_topic_push_notifications", "false", "enable_followed_topic_email_notifications", "false",
	}
	followed := []string{"followed", "3"}
	pushed := []string{"enable_stream_push_notifications", "true"}
	rows := []noticeRow{
		{
			setting: "enable_offline_push_notifications",
			one:     "true",
			other:   "false",
			what:    "direct message",
			want:    both,
			instead: "email",
		},
		{
			setting: "enable_offline_push_notifications",
			one:     "true",
			other:   "false",
			what:    "mention",
			want:    both,
			instead: "email",
		},
		{
			setting: "enable_offline_push_notifications",
			one:     "true",
			other:   "false",
			what:    "wildcard",
			want:    both,
			instead: "email",
		},
		{
			setting: "enable_offline_email_notifications",
			one:     "true",
			other:   "false",
			what:    "direct message",
			want:    both,
			instead: "1 push",
		},
		{
			setting: "enable_offline_email_notifications",
			one:     "true",
			other:   "false",
			what:    "mention",
			want:    both,
			instead: "1 push",
		},
		{
			setting: "enable_online_push_notifications",
			one:     "true",
			other:   "false",
			what:    "mention",
			want:    "1 push",
			online:  true,
		},
		{setting: "wildcard_mentions_notify", one: "true", other: "false", what: "wildcard", want: both},
		{setting: "wildcard_mentions_notify", one: "true", other: "false", what: "mention", want: both, instead: both},
		{
			setting: "enable_followed_topic_wildcard_mentions_notify", one: "true", other: "false", given: noFollowed,
			what: "wildcard", want: both,
		},
		{
			setting: "enable_followed_topic_push_notifications", one: "true", other: "false", given: followed,
			what: "message", want: both, instead: "email",
		},
		{
			setting: "enable_followed_topic_email_notifications", one: "true", other: "false", given: followed,
			what: "message", want: both, instead: "1 push",
		},
		{
			setting: "enable_stream_push_notifications",
			one:     "true",
			other:   "false",
			what:    "message",
			want:    "1 push",
			back:    "false",
		},
		{
			setting: "enable_stream_email_notifications",
			one:     "true",
			other:   "false",
			what:    "message",
			want:    "email",
			back:    "false",
		},
		{
			setting: "automatically_follow_topics_policy", one: "1", other: "4", what: "message after bob's",
			want: both, back: "4",
		},
		{
			setting: "automatically_follow_topics_where_mentioned", one: "true", other: "false",
			what: "message after a mention", want: both, back: "false",
		},
		{
			setting: "automatically_unmute_topics_in_muted_streams_policy", one: "2", other: "4",
			given: append([]string{"muted channel", "true"}, pushed...), what: "message after bob's", want: "1 push",
		},
		{
			setting: "message_content_in_email_notifications", one: "true", other: "false", what: "direct message",
			want: both, instead: "1 push, email without text",
		},
		{
			setting: "realm_name_in_email_notifications_policy", one: "2", other: "3", what: "direct message",
			want: "1 push, email naming the organization", instead: both, back: "1",
		},
		{
			setting: "email_notifications_batching_period_seconds", one: "120", other: "600", what: "direct message",
			want: both, instead: "1 push",
		},
		{setting: "enable_login_emails", one: "true", other: "false", what: "login", want: "login email"},
		{
			setting: "digest_emails_enabled",
			of:      "organization",
			one:     "true",
			other:   "false",
			what:    "week",
			want:    "digest",
			back:    "true",
		},
		{setting: "digest_weekday", of: "organization", one: "1", other: "2", what: "week", want: "digest"},
		{setting: "enable_digest_emails", one: "true", other: "false", what: "week", want: "digest"},
		{
			setting: "message_content_allowed_in_email_notifications", of: "organization", one: "true", other: "false",
			what: "direct message", want: both, instead: "1 push, email without text",
		},
		{setting: "push_notifications", of: "channel", one: "true", other: "false", what: "message", want: "1 push"},
		{
			setting: "push_notifications", of: "channel", one: "true", other: "false", given: pushed, what: "message",
			want: "1 push", back: "false",
		},
		{
			setting: "email_notifications",
			of:      "channel",
			one:     "true",
			other:   "false",
			what:    "message",
			want:    "email",
			back:    "false",
		},
		{
			setting: "wildcard_mentions_notify",
			of:      "channel",
			one:     "true",
			other:   "false",
			what:    "wildcard",
			want:    both,
			back:    "true",
		},
		{setting: "is_muted", of: "channel", one: "false", other: "true", what: "wildcard", want: both},
		{setting: "is_muted", of: "channel", one: "false", other: "true", what: "mention", want: both, instead: both},
		{setting: "visibility_policy", of: "topic", one: "3", other: "1", what: "message", want: both, back: "0"},
		{
			setting: "visibility_policy", of: "topic", one: "2", other: "1", given: []string{"muted channel", "true"},
			what: "wildcard", want: both, back: "0",
		},
	}
	for _, name := range []string{
		"enable_desktop_notifications", "enable_sounds", "enable_stream_desktop_notifications",
		"enable_stream_audible_notifications",
		"enable_followed_topic_desktop_notifications", "enable_followed_topic_audible_notifications",
		"pm_content_in_desktop_notifications", "enable_marketing_emails",
	} {
		rows = append(rows, noticeRow{setting: name, one: "false", other: "true"})
	}
	for _, name := range []string{"desktop_notifications", "audible_notifications"} {
		rows = append(rows, noticeRow{setting: name, of: "channel", one: "false", other: "true"})
	}
	return append(rows,
		noticeRow{setting: "notification_sound", one: "none", other: "zulip"},
		noticeRow{setting: "desktop_icon_count_display", one: "2", other: "1"},
	)
}
