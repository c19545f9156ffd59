package oracle_test

import (
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// post is a message that a step has sent.
type post struct {
	id      int64
	who     string
	channel bool // otherwise it is a direct message
}

func (w *simulation) content() string {
	switch w.rnd.IntN(8) {
	case 0:
		return "@**all** look"
	case 1:
		return "alpha and beta"
	case 2:
		return "@**topic** hi"
	case 3:
		return fmt.Sprintf("@**Olga|%d**", w.s.UserID("olga"))
	case 4:
		return "@*role:members* listen"
	case 5:
		if all := w.groupNames(); len(all) > 0 {
			return fmt.Sprintf("@*%s* and :first:", one(w, all))
		}
	}
	return one(w, []string{"hello", "gamma", "T1-7 :second:"})
}

// groupNames returns the names of the groups that steps have created.
func (w *simulation) groupNames() (names []string) {
	if len(w.groups) == 0 {
		return nil
	}
	var res struct {
		Groups []object `json:"user_groups"`
	}
	a := w.as("olga").Do("GET /user_groups")
	if a.Status != 200 { // olga is a guest now
		return nil
	}
	a.JSON(&res)
	for _, g := range res.Groups {
		if g["is_system_group"] == false {
			names = append(names, g["name"].(string))
		}
	}
	return names
}

func send(w *simulation) {
	who := one(w, w.names)
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic",
		one(w, []string{"a", "b", "c", "A", ""}), "content", w.content()}
	if mine := w.subscriptions(who); len(mine) > 0 && w.rnd.IntN(3) > 0 {
		params[3] = fmt.Sprint(one(w, mine))
	}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(append([]int64{int64(w.s.UserID("guest"))}, w.users...)), "content",
			params[7]}
	}
	if a := w.do(who, "POST /messages", params...); a.Status == 200 {
		w.posts = append(w.posts, post{a.Int("id"), who, params[1] == "channel"})
	}
}

// recent returns one of the most recent messages accepted by fits. It returns false if there is none.
func (w *simulation) recent(fits func(post) bool) (p post, ok bool) {
	var all []post
	for _, p := range w.posts[max(0, len(w.posts)-12):] {
		if fits(p) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return p, false
	}
	return one(w, all), true
}

func inChannel(p post) bool { return p.channel }

func anywhere(post) bool { return true }

func edit(w *simulation) {
	p, ok := w.recent(anywhere)
	if !ok {
		return
	}
	params := []string{"content", w.content()}
	if p.channel && w.rnd.IntN(3) == 0 {
		params = append(params, "topic", one(w, []string{"a", "b", "d", "A"}))
	}
	w.do(p.who, fmt.Sprintf("PATCH /messages/%d", p.id), params...)
}

func move(w *simulation) {
	p, ok := w.recent(inChannel)
	if !ok {
		return
	}
	params := []string{"propagate_mode", one(w, []string{"change_one", "change_later", "change_all"}), "topic",
		one(w, []string{"a", "b", "d", "A", "B", "✔ a"}),
		"send_notification_to_old_thread", w.flag(), "send_notification_to_new_thread", w.flag()}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "stream_id", fmt.Sprint(one(w, w.channels)))
	}
	w.do(one(w, []string{w.manager(), p.who}), fmt.Sprintf("PATCH /messages/%d", p.id), params...)
}

func remove(w *simulation) {
	p, ok := w.recent(anywhere)
	if !ok {
		return
	}
	var in struct{ Message object }
	who := one(w, []string{w.manager(), p.who})
	if a := w.as(who).Do(fmt.Sprintf("GET /messages/%d", p.id)); a.Status == 200 && p.channel && w.rnd.IntN(3) == 0 {
		a.JSON(&in)
		w.do(w.manager(), fmt.Sprintf("POST /streams/%d/delete_topic", number(in.Message["stream_id"])), "topic_name",
			in.Message["subject"].(string))
		return
	}
	w.do(who, fmt.Sprintf("DELETE /messages/%d", p.id))
}

func react(w *simulation) {
	p, ok := w.recent(anywhere)
	if !ok {
		return
	}
	call, emoji := fmt.Sprintf(" /messages/%d/reactions", p.id), one(w, []string{"smile", "car", "first"})
	for _, who := range []string{p.who, one(w, w.names)} {
		if a := w.do(who, "POST"+call, "emoji_name", emoji); a.Status != 200 && who == p.who {
			w.do(who, "DELETE"+call, "emoji_name", emoji)
		}
	}
}

// vote adds a submessage, such as a vote in a poll, to a message.
func vote(w *simulation) {
	p, ok := w.recent(anywhere)
	if !ok {
		return
	}
	for _, who := range []string{p.who, one(w, w.names)} {
		w.do(who, "POST /submessage", "message_id", fmt.Sprint(p.id), "msg_type", "widget",
			"content", fmt.Sprintf(`{"type":"vote","key":"canned,%d","vote":1}`, w.rnd.IntN(3)))
	}
}

func flags(w *simulation) {
	var ids []int64
	for _, p := range w.posts[max(0, len(w.posts)-10):] {
		ids = append(ids, p.id)
	}
	if len(ids) > 0 {
		w.do(one(w, w.names), "POST /messages/flags", "messages", w.some(ids), "op", one(w, []string{"add", "remove"}),
			"flag", one(w, []string{"read", "starred", "collapsed"}))
	}
}

func marks(w *simulation) {
	who := one(w, w.names)
	mine := w.subscriptions(who)
	switch kind := w.rnd.IntN(6); {
	case kind == 0 || len(mine) == 0:
		w.do(who, "POST /mark_all_as_read")
	case kind == 1:
		w.do(who, "POST /mark_stream_as_read", "stream_id", fmt.Sprint(one(w, mine)))
	case kind == 2:
		w.do(who, "POST /mark_topic_as_read", "stream_id", fmt.Sprint(one(w, mine)), "topic_name",
			one(w, []string{"a", "B", "c", ""}))
	default:
		narrow := []object{{"operator": "channel", "operand": one(w, mine)}}
		switch w.rnd.IntN(4) {
		case 0:
			narrow = append(narrow, object{"operator": "topic", "operand": one(w, []string{"a", "b"})})
		case 1:
			narrow = []object{{"operator": "is", "operand": one(w, []string{"dm", "mentioned", "starred", "unread"})}}
		}
		w.do(who, "POST /messages/flags/narrow", "anchor", "newest", "num_before", "20", "num_after", "0", "op",
			one(w, []string{"add", "remove"}),
			"flag", one(w, []string{"read", "read", "starred"}), "narrow", kittest.JSON(narrow))
	}
}

// wait advances the clock by days, but less than the lifetime of queues, and runs periodic jobs.
func wait(w *simulation) {
	if w.waited {
		return
	}
	w.waited = true
	w.s.Clock.Advance(time.Duration(1+w.rnd.IntN(5)) * 24 * time.Hour)
	jobs := []string{"accounts.waiting period", "channels.traffic", "messages.retention", "messages.purges",
		"messages.facts",
		"messages.archive", "messages.rendering"}
	for _, job := range jobs {
		w.s.RunJob(job)
	}
	w.log = append(w.log, "days pass, until "+w.s.Clock.Now().String())
}
