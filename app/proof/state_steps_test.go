package proof_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// world is what the random steps choose from. Steps need not succeed: who may do what is not the question here.
type world struct {
	s        *kittest.Server
	rnd      *rand.Rand
	names    []string // who acts and listens
	users    []int64
	extras   []int64 // made by steps; they may be deactivated
	channels []int64
	groups   []int64
	folders  []int64
	fields   []int64
	messages []int64
	made     int
	log      []string
	done     int // steps that were not refused
}

func one[T any](w *world, of []T) T { return of[w.rnd.IntN(len(of))] }

func (w *world) some(of []int64) string {
	ids := []int64{one(w, of)}
	for w.rnd.IntN(2) == 0 && len(ids) < 3 {
		ids = append(ids, one(w, of))
	}
	return kittest.JSON(ids)
}

func (w *world) flag() string { return fmt.Sprint(w.rnd.IntN(2) == 0) }

func (w *world) name(kind string) string {
	w.made++
	return fmt.Sprintf("%s %d", kind, w.made)
}

// boss is mostly somebody who may do nearly everything, so that steps succeed.
func (w *world) boss() string {
	if w.rnd.IntN(4) == 0 {
		return one(w, w.names)
	}
	return one(w, []string{"olga", "olga", "adam"})
}

func (w *world) do(who, call string, params ...string) *kittest.Answer {
	a := w.s.As(who).Do(call, params...)
	w.log = append(w.log, fmt.Sprintf("%s: %s %s -> %d %.160s", who, call, strings.Join(params, " "), a.Status, a.Body))
	if a.Status >= 500 {
		w.s.T.Fatalf("%s", strings.Join(w.log, "\n"))
	}
	if a.Status == 200 {
		w.done++
	}
	return a
}

// value is a group-setting value: a group, or people and groups.
func (w *world) value() string {
	if w.rnd.IntN(2) == 0 {
		return fmt.Sprint(one(w, append([]int64{1, 2, 3, 4, 5, 6, 7}, w.groups...)))
	}
	groups := "[]"
	if w.rnd.IntN(2) == 0 {
		groups = w.some(append([]int64{2, 4, 5, 6}, w.groups...))
	}
	return fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":%s}`, w.some(w.users), groups)
}

func (w *world) update() string { return `{"new":` + w.value() + `}` }

var channelSettings = []string{
	"can_add_subscribers_group", "can_administer_channel_group", "can_subscribe_group", "can_send_message_group", "can_remove_subscribers_group",
	"can_delete_any_message_group", "can_resolve_topics_group",
}

// steps are what may happen, the frequent ones named more than once.
var steps = []func(*world){
	people, people, roles, groups, groups, members, members, subgroups, makeChannel, changeChannel, changeChannel, changeChannel, allow, allow,
	subscribe, subscribe, subscribe, unsubscribe, unsubscribe, personally, defaultChannels, folders, realmSettings, lists, own, own,
	send, send, send, send, edit, move, remove, flags, marks, policies, mutes,
	profileFields, profiles, profiles, statuses, robot, robot, leaving, unarchive, reactivate,
}

func people(w *world) {
	switch w.rnd.IntN(6) {
	case 0:
		if len(w.extras) < 8 {
			w.made++
			a := w.do(one(w, []string{"olga", "adam"}), "POST /users", "email", fmt.Sprintf("extra%d@example.com", w.made), "full_name", fmt.Sprintf("Extra %d", w.made), "password", "long enough 1")
			if a.Status == 200 {
				w.extras, w.users = append(w.extras, a.Int("user_id")), append(w.users, a.Int("user_id"))
			}
		}
	case 1:
		if len(w.extras) > 0 {
			w.do(w.boss(), fmt.Sprintf("DELETE /users/%d", one(w, w.extras)))
		}
	case 2:
		if len(w.extras) > 0 {
			w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", one(w, w.extras)))
		}
	case 3:
		w.do(w.boss(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "full_name", w.name("Name"))
	case 4:
		w.do(one(w, w.names), "PATCH /settings", "email_address_visibility", fmt.Sprint(1+w.rnd.IntN(5)))
	case 5:
		if len(w.extras) > 0 {
			w.made++
			w.do("olga", fmt.Sprintf("PATCH /users/%d", one(w, w.extras)), "new_email", fmt.Sprintf("moved%d@example.com", w.made))
		}
	}
}

func roles(w *world) {
	w.do(w.boss(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "role", fmt.Sprint(one(w, []int{100, 200, 300, 400, 400, 600, 600})))
	w.do("olga", fmt.Sprintf("PATCH /users/%d", w.s.UserID("adam")), "role", "200")
}

func groups(w *world) {
	if len(w.groups) < 4 || w.rnd.IntN(6) == 0 {
		a := w.do(w.boss(), "POST /user_groups/create", "name", w.name("group"), "description", "d", "members", w.some(w.users), "can_manage_group", w.value())
		if a.Status == 200 {
			w.groups = append(w.groups, a.Int("group_id"))
		}
		return
	}
	g := one(w, w.groups)
	switch w.rnd.IntN(4) {
	case 0:
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/deactivate", g))
	case 1:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), "deactivated", "false", "description", w.name("d"))
	case 2:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), "name", w.name("renamed"))
	case 3:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), one(w, settingsOfGroups), w.update())
	}
}

func members(w *world) {
	if len(w.groups) > 0 {
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/members", one(w, w.groups)), one(w, []string{"add", "delete"}), w.some(w.users)[:2]+"]")
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/members", one(w, w.groups)), one(w, []string{"add", "delete"}), fmt.Sprintf("[%d]", one(w, w.users)))
	}
}

func subgroups(w *world) {
	if len(w.groups) > 0 {
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/subgroups", one(w, w.groups)), one(w, []string{"add", "delete"}), fmt.Sprintf("[%d]", one(w, append([]int64{4, 5}, w.groups...))))
	}
}

func makeChannel(w *world) {
	params := []string{"name", w.name("channel"), "description", "about", "subscribers", w.some(w.users)}
	switch w.rnd.IntN(4) {
	case 0:
		params = append(params, "invite_only", "true")
	case 1:
		params = append(params, "invite_only", "true", "history_public_to_subscribers", "true")
	case 2:
		params = append(params, "is_web_public", "true")
	}
	if w.rnd.IntN(3) == 0 {
		params = append(params, one(w, channelSettings), w.value())
	}
	if a := w.do(w.boss(), "POST /channels/create", params...); a.Status == 200 {
		w.channels = append(w.channels, a.Int("id"))
	}
}

// changeChannel changes one thing of a channel, or several at once.
func changeChannel(w *world) {
	call := fmt.Sprintf("/streams/%d", one(w, w.channels))
	if w.rnd.IntN(16) == 0 {
		w.do(w.boss(), "DELETE "+call)
		return
	}
	params := channelChange(w)
	for w.rnd.IntN(3) == 0 {
		params = append(params, channelChange(w)...)
	}
	w.do(w.boss(), "PATCH "+call, params...)
}

func channelChange(w *world) []string {
	switch w.rnd.IntN(8) {
	case 0:
		return []string{"new_name", w.name("channel")}
	case 1:
		return []string{"description", w.name("about *it*")}
	case 2, 3:
		return []string{"is_private", w.flag()}
	case 4:
		return []string{"is_web_public", w.flag()}
	case 5:
		return []string{"history_public_to_subscribers", w.flag()}
	case 6:
		return []string{"is_archived", "false"}
	}
	return []string{"topics_policy", one(w, []string{"inherit", "disable_empty_topic"})}
}

func allow(w *world) {
	w.do(w.boss(), fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)), one(w, channelSettings[:3]), w.update())
}

// known gives the name of a channel; the log would tell if it is not there any more.
func (w *world) known(id int64) string {
	a := w.s.As("olga").Do(fmt.Sprintf("GET /streams/%d", id))
	if a.Status != 200 {
		return "gone"
	}
	return a.String("stream.name")
}

func subscribe(w *world) {
	params := []string{"subscriptions", kittest.JSON([]object{{"name": w.known(one(w, w.channels))}}), "send_new_subscription_messages", "false"}
	if w.rnd.IntN(2) == 0 {
		params = append(params, "principals", w.some(w.users))
	}
	w.do(one(w, w.names), "POST /users/me/subscriptions", params...)
}

func unsubscribe(w *world) {
	params := []string{"subscriptions", kittest.JSON([]string{w.known(one(w, w.channels))})}
	who := one(w, w.names)
	if w.rnd.IntN(2) == 0 {
		who = w.boss()
		params = append(params, "principals", w.some(w.users))
	}
	w.do(who, "DELETE /users/me/subscriptions", params...)
}

func personally(w *world) {
	prop := one(w, []string{"is_muted", "pin_to_top", "push_notifications"})
	w.do(one(w, w.names), fmt.Sprintf("PATCH /users/me/subscriptions/%d", one(w, w.channels)), "property", prop, "value", w.flag())
}

func defaultChannels(w *world) {
	w.do(w.boss(), one(w, []string{"POST", "DELETE"})+" /default_streams", "stream_id", fmt.Sprint(one(w, w.channels)))
}

func folders(w *world) {
	switch {
	case len(w.folders) < 3:
		if a := w.do(w.boss(), "POST /channel_folders/create", "name", w.name("folder"), "description", "d"); a.Status == 200 {
			w.folders = append(w.folders, a.Int("channel_folder_id"))
		}
	case w.rnd.IntN(2) == 0:
		w.do(w.boss(), fmt.Sprintf("PATCH /channel_folders/%d", one(w, w.folders)), "name", w.name("folder"))
	default:
		w.do(w.boss(), fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)), "folder_id", fmt.Sprint(one(w, w.folders)))
	}
}

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

func drafts(w *world) {
	who, text := one(w, w.names), fmt.Sprintf(`{"type":"","to":[],"topic":"","content":"draft %d","timestamp":%[1]d}`, w.rnd.IntN(9))
	switch w.rnd.IntN(4) {
	case 0, 1:
		w.do(who, "POST /drafts", "drafts", "["+text+","+text+"]")
	case 2:
		w.do(who, fmt.Sprintf("PATCH /drafts/%d", 1+w.rnd.IntN(9)), "draft", text)
	case 3:
		w.do(who, fmt.Sprintf("DELETE /drafts/%d", 1+w.rnd.IntN(9)))
	}
}

func views(w *world) {
	who, custom := one(w, w.names), "narrow/is/followed"
	switch w.rnd.IntN(4) {
	case 0:
		w.do(who, "POST /navigation_views", "fragment", "inbox", "is_pinned", w.flag())
	case 1:
		w.do(who, "POST /navigation_views", "fragment", custom, "is_pinned", w.flag(), "name", w.name("View"))
	case 2:
		w.do(who, "PATCH /navigation_views/"+custom, "is_pinned", w.flag(), "name", one(w, []string{"one", "two"}))
	case 3:
		w.do(who, "DELETE /navigation_views/"+one(w, []string{custom, "inbox"}))
	}
}

func own(w *world) {
	setting := one(w, [][2]string{
		{"twenty_four_hour_time", w.flag()}, {"enter_sends", w.flag()}, {"enable_drafts_synchronization", one(w, []string{"true", "true", "false"})}, {"default_language", "en"}, {"timezone", one(w, []string{"Europe/Berlin", "Asia/Tokyo", ""})},
		{"color_scheme", fmt.Sprint(1 + w.rnd.IntN(3))}, {"full_name", w.name("Self")}, {"web_home_view", one(w, []string{"inbox", "recent"})},
	})
	w.do(one(w, w.names), "PATCH /settings", setting[0], setting[1])
}

func send(w *world) {
	content := one(w, []string{"hello", "@**all** look", "alpha and beta", "@**topic** hi", fmt.Sprintf("@**Olga|%d**", w.s.UserID("olga"))})
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "b", "c", "A", ""}), "content", content}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(append([]int64{int64(w.s.UserID("guest"))}, w.users...)), "content", content}
	}
	if a := w.do(one(w, w.names), "POST /messages", params...); a.Status == 200 {
		w.messages = append(w.messages, a.Int("id"))
	}
}

func (w *world) message(call string, params ...string) {
	if len(w.messages) > 0 {
		w.do(w.boss(), fmt.Sprintf(call, one(w, w.messages[max(0, len(w.messages)-10):])), params...)
	}
}

func edit(w *world) {
	w.message("PATCH /messages/%d", "content", one(w, []string{"edited", "@**all** again", "gamma"}))
}

func move(w *world) {
	params := []string{"propagate_mode", one(w, []string{"change_one", "change_later", "change_all"}), "topic", one(w, []string{"a", "b", "d", "A", "B", "✔ a"})}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "stream_id", fmt.Sprint(one(w, w.channels)))
	}
	w.message("PATCH /messages/%d", params...)
}

func remove(w *world) {
	if w.rnd.IntN(4) == 0 {
		w.do(w.boss(), fmt.Sprintf("POST /streams/%d/delete_topic", one(w, w.channels)), "topic_name", one(w, []string{"a", "B", "c"}))
		return
	}
	w.message("DELETE /messages/%d")
}

func flags(w *world) {
	if len(w.messages) > 0 {
		w.do(one(w, w.names), "POST /messages/flags", "messages", w.some(w.messages[max(0, len(w.messages)-10):]), "op", one(w, []string{"add", "remove"}), "flag", one(w, []string{"read", "starred"}))
	}
}

func marks(w *world) {
	switch w.rnd.IntN(4) {
	case 0:
		w.do(one(w, w.names), "POST /mark_stream_as_read", "stream_id", fmt.Sprint(one(w, w.channels)))
	case 1:
		w.do(one(w, w.names), "POST /mark_all_as_read")
	default:
		w.do(one(w, w.names), "POST /messages/flags/narrow", "anchor", "newest", "num_before", "20", "num_after", "0", "op", one(w, []string{"add", "remove"}), "flag", "read",
			"narrow", kittest.JSON([]object{{"operator": "channel", "operand": one(w, w.channels)}}))
	}
}

func policies(w *world) {
	w.do(one(w, w.names), "POST /user_topics", "stream_id", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "b", "c", "A"}), "visibility_policy", fmt.Sprint(w.rnd.IntN(4)))
}

func mutes(w *world) {
	w.do(one(w, w.names), fmt.Sprintf("%s /users/me/muted_users/%d", one(w, []string{"POST", "DELETE"}), one(w, w.users)))
}
