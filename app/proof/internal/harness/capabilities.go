package harness

// Capabilities returns the names of all client capabilities.
func Capabilities() []string {
	return []string{
		"notification_settings_null", "bulk_message_deletion", "user_avatar_url_field_optional",
		"stream_typing_notifications", "user_settings_object", "linkifier_url_template", "user_list_incomplete",
		"include_deactivated_groups", "archived_channels", "empty_topic_name", "simplified_presence_events",
		"individual_emoji_changes", "status_end_times", "do_not_disturb",
	}
}

// ModernClient returns the capabilities of a client with all of them, except that it needs the addresses of avatars.
func ModernClient() map[string]bool {
	can := map[string]bool{}
	for _, name := range Capabilities() {
		can[name] = name != "user_avatar_url_field_optional"
	}
	return can
}
