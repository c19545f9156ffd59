package proof_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

func realmSettings(w *world) {
	switch w.rnd.IntN(7) {
	case 6:
		w.do("olga", "PATCH /realm", "can_access_all_users_group", one(w, []string{`{"new":6}`, `{"new":7}`}))
	case 0:
		w.do(w.boss(), "PATCH /realm", "name", w.name("Realm"))
	case 1:
		w.do(w.boss(), "PATCH /realm", "description", w.name("Realm *of*"))
	case 2:
		w.do(w.boss(), "PATCH /realm", one(w, []string{"can_create_groups", "can_add_subscribers_group", "can_move_messages_between_topics_group", "can_delete_any_message_group"}), w.update())
	case 3:
		w.do(w.boss(), "PATCH /realm", one(w, []string{"inline_image_preview", "enable_read_receipts", "digest_emails_enabled", "allow_message_editing"}), w.flag())
	case 4:
		w.do(w.boss(), "PATCH /realm", "message_content_edit_limit_seconds", one(w, []string{`"unlimited"`, "600", "3600"}))
	case 5:
		w.do(w.boss(), "PATCH /realm", "enable_spectator_access", w.flag())
	}
}

func lists(w *world) {
	switch w.rnd.IntN(7) {
	case 0:
		w.do(w.boss(), "POST /realm/domains", "domain", fmt.Sprintf("d%d.example.org", w.rnd.IntN(5)))
	case 1:
		w.do(w.boss(), fmt.Sprintf("DELETE /realm/domains/d%d.example.org", w.rnd.IntN(5)))
	case 2:
		w.made++
		w.do(w.boss(), "POST /realm/filters", "pattern", fmt.Sprintf("T%d-(?P<id>[0-9]+)", w.made), "url_template", "https://example.com/{id}")
	case 3:
		w.do(one(w, w.names), one(w, []string{"POST", "DELETE"})+" /users/me/alert_words", "alert_words", kittest.JSON([]string{one(w, []string{"alpha", "beta", "gamma"})}))
	case 4:
		w.do(one(w, w.names), "POST /users/me/onboarding_steps", "onboarding_step", one(w, []string{"intro_resolve_topic", "intro_inbox_view_modal"}))
	case 5:
		views(w)
	case 6:
		drafts(w)
	}
}
