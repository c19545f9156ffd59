package oracle_test

import (
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// own changes a user's setting, as that user or as an administrator.
func own(w *simulation) {
	s := one(w, personalSettings)
	params := []string{s.name, one(w, s.values)}
	who := one(w, w.names)
	switch w.rnd.IntN(6) {
	case 0:
		who, params = w.manager(), append(params, "target_users", `{"user_ids":`+w.some(w.users)+`}`)
	case 1:
		params = []string{"full_name", w.name("Self")}
	case 2:
		params = []string{"timezone", one(w, []string{"Europe/Berlin", "Asia/Tokyo", ""})}
	}
	w.do(who, one(w, []string{"PATCH /settings", "PATCH /settings/display", "PATCH /settings/notifications"}), params...)
}

// personalSettings lists users' settings, which also have defaults for new users.
var personalSettings = []values{
	{"twenty_four_hour_time", yesOrNo},
	{"enter_sends", yesOrNo},
	{"enable_drafts_synchronization", []string{"true", "true", "false"}},
	{"default_language", []string{"en", "de"}},
	{"color_scheme", []string{"1", "2", "3"}},
	{"web_home_view", []string{"inbox", "recent"}},
	{"web_font_size_px", []string{"14", "16"}},
	{"emojiset", []string{"google", "text"}},
	{"presence_enabled", yesOrNo},
	{"send_read_receipts", yesOrNo},
	{"email_address_visibility", []string{"1", "2", "3", "4", "5"}},
	{"resolved_topic_notice_auto_read_policy", []string{"always", "except_followed", "never"}},
	{"automatically_follow_topics_policy", []string{"1", "2", "3", "4"}},
	{"automatically_unmute_topics_in_muted_streams_policy", []string{"1", "2", "3", "4"}},
	{"automatically_follow_topics_where_mentioned", yesOrNo},
	{"enable_stream_desktop_notifications", yesOrNo},
	{"enable_stream_push_notifications", yesOrNo},
	{"wildcard_mentions_notify", yesOrNo},
	{"enable_sounds", yesOrNo},
	{"enable_followed_topic_push_notifications", yesOrNo},
	{"notification_sound", []string{"zulip", "ding"}},
	{"desktop_icon_count_display", []string{"1", "3"}},
	{"email_notifications_batching_period_seconds", []string{"120", "300"}},
}

// seen changes a user's alert words, or the onboarding hints that the user has seen.
func seen(w *simulation) {
	if w.rnd.IntN(3) == 0 {
		w.do(one(w, w.names), "POST /users/me/onboarding_steps", "onboarding_step",
			one(w, []string{"intro_resolve_topic", "intro_inbox_view_modal"}))
		return
	}
	w.do(one(w, w.names), one(w, []string{"POST", "DELETE"})+" /users/me/alert_words", "alert_words",
		kittest.JSON([]string{one(w, []string{"alpha", "beta", "gamma"})}))
}

func drafts(w *simulation) {
	who, text := one(w, w.names), fmt.Sprintf(`{"type":"","to":[],"topic":"","content":"draft %d","timestamp":%[1]d}`,
		w.rnd.IntN(9))
	var kept struct{ Drafts []object }
	w.as(who).Do("GET /drafts").JSON(&kept)
	switch kind := w.rnd.IntN(4); {
	case kind < 2 || len(kept.Drafts) == 0:
		w.do(who, "POST /drafts", "drafts", "["+text+","+text+"]")
	case kind == 2:
		w.do(who, fmt.Sprintf("PATCH /drafts/%d", number(one(w, kept.Drafts)["id"])), "draft", text)
	default:
		w.do(who, fmt.Sprintf("DELETE /drafts/%d", number(one(w, kept.Drafts)["id"])))
	}
}

func snippets(w *simulation) {
	who, text := one(w, w.names), fmt.Sprintf("text %d", w.rnd.IntN(9))
	var kept struct {
		Snippets []object `json:"saved_snippets"`
	}
	w.as(who).Do("GET /saved_snippets").JSON(&kept)
	switch kind := w.rnd.IntN(4); {
	case kind < 2 || len(kept.Snippets) == 0:
		w.do(who, "POST /saved_snippets", "title", "snippet", "content", text)
	case kind == 2:
		w.do(who, fmt.Sprintf("PATCH /saved_snippets/%d", number(one(w, kept.Snippets)["id"])), "content", text)
	default:
		w.do(who, fmt.Sprintf("DELETE /saved_snippets/%d", number(one(w, kept.Snippets)["id"])))
	}
}

func later(w *simulation) {
	who, at := one(w, w.names), fmt.Sprint(w.s.Clock.Now().Add(time.Duration(1+w.rnd.IntN(90))*time.Minute).Unix())
	var kept struct {
		Messages []object `json:"scheduled_messages"`
	}
	w.as(who).Do("GET /scheduled_messages").JSON(&kept)
	switch kind := w.rnd.IntN(6); {
	case kind < 2 || len(kept.Messages) == 0:
		w.do(who, "POST /scheduled_messages", "type", "direct", "to", fmt.Sprintf("[%d]", one(w, w.users)), "content",
			"later",
			"scheduled_delivery_timestamp", at)
	case kind == 2:
		w.do(who, fmt.Sprintf("PATCH /scheduled_messages/%d", number(one(w, kept.Messages)["scheduled_message_id"])),
			"content", "**later**",
			"scheduled_delivery_timestamp", at)
	case kind == 3:
		w.do(who, fmt.Sprintf("DELETE /scheduled_messages/%d", number(one(w, kept.Messages)["scheduled_message_id"])))
	default:
		w.s.RunJob("scheduled.deliver")
	}
}

func views(w *simulation) {
	who, custom := one(w, w.names[:3]), "narrow/is/followed"
	switch w.rnd.IntN(5) {
	case 0:
		w.do(who, "POST /navigation_views", "fragment", "inbox", "is_pinned", w.flag())
	case 1, 2:
		w.do(who, "POST /navigation_views", "fragment", custom, "is_pinned", w.flag(), "name", w.name("View"))
		w.do(who, "PATCH /navigation_views/"+custom, "is_pinned", w.flag(), "name", one(w, []string{"one", "two"}))
	default:
		w.do(who, "DELETE /navigation_views/"+one(w, []string{custom, "inbox"}))
	}
}

// policies changes a user's policy for a topic, sometimes with the legacy route.
func policies(w *simulation) {
	who := one(w, w.names)
	mine := append(w.subscriptions(who), one(w, w.channels))
	params := []string{"stream_id", fmt.Sprint(one(w, mine)), "topic", one(w, []string{"a", "b", "c", "A"})}
	if w.rnd.IntN(4) == 0 {
		w.do(who, "PATCH /users/me/subscriptions/muted_topics",
			append(params, "op", one(w, []string{"add", "add", "remove"}))...)
		return
	}
	w.do(who, "POST /user_topics", append(params, "visibility_policy", fmt.Sprint(w.rnd.IntN(4)))...)
}

func mutes(w *simulation) {
	who, of := one(w, w.names[:3]), one(w, w.users[:4])
	if a := w.do(who, fmt.Sprintf("POST /users/me/muted_users/%d", of)); a.Status != 200 {
		w.do(who, fmt.Sprintf("DELETE /users/me/muted_users/%d", of))
	}
}
