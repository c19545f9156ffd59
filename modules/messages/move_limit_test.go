package messages_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// tooLong is an age at which messages can no longer be moved.
const tooLong = 7*24*time.Hour + time.Minute

// lateMove is the error for a move that is too late.
type lateMove struct {
	Code, Msg string
	First     *int64 `json:"first_message_id_allowed_to_move"`
	Total     int    `json:"total_messages_in_topic"`
	Allowed   int    `json:"total_messages_allowed_to_move"`
}

// The limit plus its grace period is exact to the microsecond, however times are stored.
func TestMoveTimeLimitToTheMicrosecond(t *testing.T) {
	s := startFull(t)
	for _, fraction := range []time.Duration{0, 500 * time.Millisecond, 123456 * time.Microsecond,
		999999 * time.Microsecond} {
		s.Clock.Set(s.Clock.Now().Truncate(time.Second).Add(2*time.Second + fraction - time.Microsecond))
		name := fmt.Sprint("t", fraction)
		post(s, "alice", "general", name, "a microsecond too old")
		s.Clock.Advance(time.Microsecond)
		just := post(s, "alice", "general", name, "just in time")
		s.Clock.Advance(7*24*time.Hour + 20*time.Second)
		newest := post(s, "alice", "general", name, "new")
		var got lateMove
		edit(s, "alice", newest, "topic", "u", "propagate_mode", "change_all").Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
			"You only have permission to move the 2/3 most recent messages in this topic.").JSON(&got)
		if got.First == nil || *got.First != just {
			t.Errorf("%v: the first movable message is %v, want %d", fraction, got.First, just)
		}
	}
}

// In protected history, only messages that the mover has are counted: received ones, and of those moved in, the mover's
// own.
func TestMoveTimeLimitOfProtectedHistory(t *testing.T) {
	s, vault, hidden := startWithVault(t)
	moveIn := func(id int64) int64 {
		edit(s, "olga", id, "stream_id", fmt.Sprint(vault), "topic", "t", "send_notification_to_new_thread", "false").OK()
		return id
	}
	edit(s, "olga", hidden, "topic", "t", "send_notification_to_new_thread", "false").OK()
	leave(s, "bob", "vault")
	kept := post(s, "olga", "vault", "t", "not received, but starred when history was open")
	subscribe(s, "olga", "bob", "vault")
	open := func(is string) {
		s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", vault), "is_private", "true", "history_public_to_subscribers",
			is).OK()
	}
	open("true")
	s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", kept), "op", "add", "flag", "starred").OK()
	open("false")
	// round sends and moves messages, some of which bob has; the second round follows his absence.
	round := func() (mine []int64) {
		mine = append(mine, post(s, "olga", "vault", "t", "received"))
		mine = append(mine, moveIn(post(s, "olga", "general", "g", "moved in")))
		starred := post(s, "olga", "general", "g", "starred")
		s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", starred), "op", "add", "flag", "starred").OK()
		leave(s, "bob", "vault")
		post(s, "olga", "vault", "t", "hidden")
		moveIn(post(s, "olga", "general", "g", "moved in meanwhile"))
		moveIn(starred)
		subscribe(s, "olga", "bob", "vault")
		return append(mine, post(s, "bob", "vault", "t", "own"))
	}
	old := round()
	s.Clock.Advance(tooLong)
	young := round()
	var seen, fresh []int64
	for _, m := range newestOf(s, "bob", `[["channel","vault"],["topic","t"]]`, false) {
		if seen = append(seen, m.ID); m.ID >= young[0] {
			fresh = append(fresh, m.ID)
		}
	}
	for _, id := range slices.Concat([]int64{kept}, old, young) {
		if !slices.Contains(seen, id) {
			t.Fatalf("bob sees %v, which lacks %d", seen, id)
		}
	}
	if slices.Contains(seen, hidden) {
		t.Fatalf("bob sees %v with %d", seen, hidden)
	}
	s.Skip()
	for _, c := range []struct {
		id   int64
		mode string
		msg  string
	}{
		{old[0], "change_one", "The time limit for editing this message's topic has passed."},
		{old[1], "change_later", "The time limit for editing this message's topic has passed."},
		{old[2], "change_all", "The time limit for editing this message's topic has passed."},
		{young[1], "change_all", fmt.Sprintf("You only have permission to move the %d/%d most recent messages in this topic.",
			len(fresh), len(seen))},
	} {
		var got lateMove
		edit(s, "bob", c.id, "topic", "u", "propagate_mode", c.mode).Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
			c.msg).JSON(&got)
		if got.First == nil || *got.First != fresh[0] || got.Total != len(seen) || got.Allowed != len(fresh) {
			t.Errorf("%s of %d: %+v, want %d of %d from %d", c.mode, c.id, got, len(fresh), len(seen), fresh[0])
		}
	}
	s.NoEvents()
	edit(s, "mona", old[2], "topic", "u").Error(400, "BAD_REQUEST", "Invalid message(s)")
}

// statements records the statements that a server sends.
type statements struct {
	sync.Mutex
	all []string
}

func (s *statements) add(sql string) {
	s.Lock()
	defer s.Unlock()
	s.all = append(s.all, sql)
}

var digits = regexp.MustCompile(`\d+`)

// changing reports whether a statement starts a writing transaction.
func changing(sql string) bool {
	return strings.Contains(sql, "BEGIN") &&
		(strings.Contains(sql, "IMMEDIATE") || strings.Contains(sql, "READ COMMITTED"))
}

// take returns the statements since its last call that read messages or start writing transactions, without values that
// differ between messages. Consecutive equal statements, the steps of a bisection, are merged.
func (s *statements) take() (out []string) {
	s.Lock()
	defer s.Unlock()
	for _, sql := range s.all {
		if strings.Contains(sql, "message") || changing(sql) {
			out = append(out, digits.ReplaceAllString(sql, "0"))
		}
	}
	s.all = nil
	return slices.Compact(out)
}

// Rejecting a move delays no other request, however long the topic: it takes no locks and reads no rows of the topic,
// and the database counts from the index alone.
func TestRefusalToMoveReadsNoTopic(t *testing.T) {
	var sent statements
	server := kittest.StartWith(t, kittest.Options{
		Config:  "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}\nhttp: {rate_limits: {enabled: false}}",
		Observe: sent.add,
	}, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	s := &stored{server, server.App.DB()}
	makeChannel(server, "vault", []string{"olga", "alice", "bob"}, "invite_only", "true", "history_public_to_subscribers",
		"false")
	const many = 300
	places := []string{"general", "vault"}
	old, young := map[string]int64{}, map[string]int64{}
	for _, in := range places {
		old[in] = post(server, "alice", in, "t", "old")
	}
	server.Clock.Advance(tooLong)
	for _, in := range places {
		young[in] = post(server, "alice", in, "t", "young")
	}
	server.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", server.ChannelID("general")), "can_create_topic_group",
		onlyUsers(server, "olga")).OK()
	cases := func() map[string][]string {
		out := map[string][]string{}
		refuse := func(name string, id int64, code, mode string) {
			sent.take()
			answer := edit(server, "bob", id, "topic", "u", "propagate_mode", mode)
			var got lateMove
			answer.JSON(&got)
			if got.Code != code {
				t.Fatalf("%s: %+v", name, got)
			}
			out[name] = sent.take()
		}
		for _, in := range places {
			for _, mode := range []string{"change_one", "change_later", "change_all"} {
				refuse(in+", old, "+mode, old[in], "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", mode)
			}
			refuse(in+", young, change_all", young[in], "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", "change_all")
		}
		for _, mode := range []string{"change_one", "change_later"} {
			refuse("general, no new topics, "+mode, young["general"], "BAD_REQUEST", mode)
		}
		return out
	}
	grow := func() {
		for _, in := range places {
			s.fill(young[in], many, "recipient_id")
		}
	}
	grow() // beyond what one step examines
	few := cases()
	grow()
	for name, got := range cases() {
		if !slices.Equal(got, few[name]) {
			t.Errorf("%s: in a long topic\n%s\nin a short one\n%s", name, strings.Join(got, "\n"), strings.Join(few[name], "\n"))
		}
		counted := strings.Contains(name, "no new topics") // needs no count
		for _, sql := range got {
			_, where, _ := strings.Cut(sql, " WHERE ")
			counts := strings.Contains(sql, "COUNT(*)")
			counted = counted || counts
			if !strings.Contains(name, "no new topics") && changing(sql) {
				t.Errorf("%s: starts a write transaction:\n%s", name, sql)
			}
			if counts && strings.Contains(sql, "sent_at") {
				t.Errorf("%s: reads the time of each message:\n%s", name, sql)
			}
			movedIn := strings.Contains(sql, "JOIN message_edits") // there are none here
			if strings.Contains(sql, "FOR UPDATE") || strings.Contains(where, "topic_key") && !counts && !movedIn &&
				!strings.Contains(sql, "LIMIT") {
				t.Errorf("%s: reads or locks the topic:\n%s", name, sql)
			}
		}
		if !counted {
			t.Errorf("%s: nothing counts:\n%s", name, strings.Join(got, "\n"))
		}
	}
}
