package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Older clients read some user settings at the top level of the /register response, in sections with these names.
// Servers of our feature level no longer send them, but ZulipTerminal 0.7.0, the latest release, does not start without
// them. It handles user_settings events, so the older events are not needed.
var (
	olderDisplay = []string{
		"default_language", "emojiset", "high_contrast_mode", "left_side_userlist", "timezone", "translate_emoticons",
		"twenty_four_hour_time",
	}
	olderNotifications = []string{
		"enable_desktop_notifications", "enable_digest_emails", "enable_offline_email_notifications",
		"enable_offline_push_notifications",
		"enable_online_push_notifications", "enable_sounds", "enable_stream_desktop_notifications",
		"enable_stream_email_notifications",
		"enable_stream_push_notifications", "message_content_in_email_notifications", "pm_content_in_desktop_notifications",
	}
)

// olderSection declares a section that contains the given settings of the caller.
func (s *service) olderSection(name string, settings []string) kit.Section {
	return kit.Register(name, func(ctx context.Context, a kit.Actor, _ event.Client) (map[string]any, error) {
		_, me, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return nil, err
		}
		all, some := setting.Values(me.Settings), map[string]any{}
		for _, key := range settings {
			some[key] = all[key]
		}
		return some, nil
	}).Named().Shows(kit.ValuesOf(user.Patch{}, "", map[string]any{"timezone": ""}))
}
