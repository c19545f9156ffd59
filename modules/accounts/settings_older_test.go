package accounts_test

import "testing"

// Clients that request the older sections get their settings at the top level of the response. Other clients do not.
func TestOlderSettings(t *testing.T) {
	s := start(t)
	s.As("alice").Do("PATCH /settings", "twenty_four_hour_time", "true", "enable_sounds", "false").OK()
	for _, c := range []struct {
		how                    []string
		display, notifications bool
	}{
		{[]string{"fetch_event_types", `["update_display_settings","update_global_notifications","user_settings"]`}, true,
			true},
		{[]string{"fetch_event_types", `["update_display_settings"]`}, true, false},
		{[]string{"event_types", `["update_global_notifications"]`}, false, true},
		{[]string{"fetch_event_types", `["user_settings"]`}, false, false},
		{nil, false, false},
	} {
		a := s.As("alice").Do("POST /register", c.how...).OK()
		for key, given := range map[string]bool{
			"twenty_four_hour_time": c.display, "default_language": c.display, "enable_sounds": c.notifications,
			"pm_content_in_desktop_notifications": c.notifications,
			"presence_enabled":                    false, "color_scheme": false,
		} {
			if a.Has(key) != given {
				t.Errorf("%v: %s is there: %v", c.how, key, !given)
			}
		}
		if c.display && a.Get("twenty_four_hour_time") != true || c.notifications && a.Get("enable_sounds") != false {
			t.Errorf("%v: not alice's settings: %s", c.how, a.Body)
		}
	}
	s.As("bob").Do("POST /register", "fetch_event_types", `["update_display_settings"]`).OK().Is(200,
		`{"result":"success","msg":"","queue_id":"*","last_event_id":"*","idle_queue_timeout_secs":600,
		"service_feature_level":"*","service_version":"*","service_merge_base":"*",
		"default_language":"en","emojiset":"google","high_contrast_mode":false,"left_side_userlist":false,"timezone":"",
		"translate_emoticons":false,"twenty_four_hour_time":false}`)
}
