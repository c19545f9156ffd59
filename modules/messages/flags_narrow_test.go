package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func markNarrow(s *kittest.Server, as, anchor, before, after, narrow, op, flag string,
	more ...string) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do("POST /messages/flags/narrow", append([]string{
		"anchor", anchor, "num_before", before, "num_after", after, "narrow", narrow, "op", op, "flag", flag}, more...)...)
}

func TestFlagsInNarrow(t *testing.T) {
	s := startFull(t)
	var id [5]int64
	for i := range id {
		id[i] = post(s, "alice", "general", []string{"a", "b"}[i%2], "x") // a b a b a
	}
	answer := func(processed, updated int, first, last int64, oldest, newest bool) string {
		return fmt.Sprintf(`{"result":"success","msg":"","processed_count":%d,"updated_count":%d,"first_processed_id":%d,"last_processed_id":%d,
			"found_oldest":%v,"found_newest":%v}`, processed, updated, first, last, oldest, newest)
	}
	inA := `[["channel","general"],["topic","a"]]`
	mid := fmt.Sprint(id[2])
	markNarrow(s, "bob", mid, "0", "1", inA, "add", "starred").Is(200, answer(2, 2, id[2], id[4], false, false))
	markNarrow(s, "bob", mid, "5", "5", inA, "add", "starred").Is(200, answer(3, 1, id[0], id[4], true, true))
	markNarrow(s, "bob", "oldest", "0", "5000", "[]", "remove", "starred").Is(200, answer(5, 3, id[0], id[4], true, true))
	markNarrow(s, "bob", "first_unread", "0", "1", `[["is","unread"]]`, "add", "read").Is(200,
		answer(2, 2, id[0], id[1], false, false))
	s.Skip()
	markNarrow(s, "bob", "newest", "1", "0", "[]", "add", "read", "include_anchor", "false").Is(200,
		answer(1, 1, id[4], id[4], false, true))
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d],"all":false}`,
		id[4]))
	markNarrow(s, "bob", "oldest", "0", "10", `[["topic","none"]]`, "add", "read").Is(200,
		`{"result":"success","msg":"","processed_count":0,"updated_count":0,
		"first_processed_id":null,"last_processed_id":null,"found_oldest":true,"found_newest":true}`)
	// Ignored channels are reported only if read is removed.
	markNarrow(s, "bob", "oldest", "0", "10", `[["topic","none"]]`, "remove", "read").Is(200,
		`{"result":"success","msg":"","processed_count":0,"updated_count":0,
		"first_processed_id":null,"last_processed_id":null,"found_oldest":true,"found_newest":true,"ignored_because_not_subscribed_channels":[]}`)
	// adam can read the channel without being subscribed, so none of it is unread for him.
	markNarrow(s, "adam", "oldest", "0", "10", `[["channel","general"]]`, "remove", "read").Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","processed_count":5,
		"updated_count":0,"first_processed_id":%d,"last_processed_id":%d,"found_oldest":true,"found_newest":true,
		"ignored_because_not_subscribed_channels":[%d]}`, id[0], id[4], s.ChannelID("general")))
	for i, want := range []string{"read", "read", "", "", "read"} {
		if got := flags(s, "bob", id[i]); got != want {
			t.Errorf("message %d has flags %q, want %q", i, got, want)
		}
	}
}

func TestFlagsInNarrowRefused(t *testing.T) {
	s := startFull(t)
	post(s, "alice", "general", "a", "x")
	for _, c := range []struct {
		anchor, before, after, narrow, op, flag string
		more                                    []string
		code, msg                               string
	}{
		{"oldest", "0", "1", "[]", "add", "mentioned", nil, "BAD_REQUEST", "Flag not editable: 'mentioned'"},
		{"oldest", "0", "1", "[]", "add", "shiny", nil, "BAD_REQUEST", "Invalid flag: 'shiny'"},
		{"oldest", "0", "1", "[]", "toggle", "read", nil, "BAD_REQUEST", "Invalid message flag operation: 'toggle'"},
		{"x", "0", "1", "[]", "add", "read", nil, "BAD_REQUEST", "Invalid anchor"},
		{"oldest", "-1", "1", "[]", "add", "read", nil, "BAD_REQUEST", "Invalid num_before"},
		{"oldest", "0", "-1", "[]", "add", "read", nil, "BAD_REQUEST", "Invalid num_after"},
		{"1", "1", "1", "[]", "add", "read", []string{"include_anchor", "false"}, "BAD_REQUEST",
			"The anchor can only be excluded at an end of the range"},
		{"1", "1", "1", `[["channel","none"]]`, "add", "read", nil, "BAD_NARROW",
			"Invalid narrow operator: unknown channel none"},
		{"1", "1", "1", `[1]`, "add", "read", nil, "BAD_REQUEST", "Invalid narrow[0]: dict or list required"},
	} {
		s.Skip()
		markNarrow(s.In(t), "bob", c.anchor, c.before, c.after, c.narrow, c.op, c.flag, c.more...).Error(400, c.code, c.msg)
		s.NoEvents()
	}
	markNarrow(s, "bob", "1", "1000000", "1000000", "[]", "add", "read").OK() // excessive ranges are clamped
}

// Excessive ranges are clamped: each side may use half of the maximum plus what the other side leaves unused. The
// anchor is not counted.
func TestFlagsInNarrowClamped(t *testing.T) {
	s := startStored(t)
	first := post(s.Server, "alice", "general", "x", "y")
	s.fill(first, 7600, "recipient_id")
	const mid = 2600
	anchor := fmt.Sprint(first + mid)
	for _, c := range []struct {
		before, after string
		first, last   int64 // relative to the anchor
		oldest, more  bool
	}{
		{"1000000", "1000000", -2500, 2500, false, false},
		{"100", "6000", -100, 4900, false, false},
		{"2501", "2", -2501, 2, false, false},
		{"3", "2", -3, 2, false, false},
		{"0", "0", 0, 0, false, false},
	} {
		a := markNarrow(s.In(t), "bob", anchor, c.before, c.after, `[["channel","general"]]`, "add", "read").OK()
		from, to := a.Int("first_processed_id")-first-mid, a.Int("last_processed_id")-first-mid
		if from != c.first || to != c.last || a.Int("processed_count") != c.last-c.first+1 ||
			a.Get("found_oldest") != c.oldest || a.Get("found_newest") != c.more {
			t.Errorf("%s and %s: %d to %d, %s", c.before, c.after, from, to, a.Body)
		}
	}
}

// A "with" term follows its message. If the message is not visible, the term matches nothing.
func TestFlagsWithMovedMessage(t *testing.T) {
	s := startFull(t)
	one, two := post(s, "alice", "general", "a", "x"), post(s, "alice", "general", "b", "x")
	hidden := post(s, "alice", "secret", "a", "x")
	edit(s, "alice", one, "topic", "b", "send_notification_to_new_thread", "false").OK()
	with := fmt.Sprintf(`[["channel","general"],["topic","a"],["with","%d"]]`, one)
	a := markNarrow(s, "bob", "oldest", "0", "10", with, "add", "starred").OK()
	if a.Int("processed_count") != 2 || a.Int("first_processed_id") != one || a.Int("last_processed_id") != two {
		t.Errorf("%s", a.Body)
	}
	s.Skip()
	narrow := fmt.Sprintf(`[["channel","general"],["topic","a"],["with","%d"]]`, hidden)
	if a := markNarrow(s, "bob", "oldest", "0", "10", narrow, "add", "starred").OK(); a.Int("processed_count") != 0 ||
		a.Get("last_processed_id") != nil {
		t.Errorf("%s", a.Body)
	}
	markNarrow(s, "bob", "oldest", "0", "10", fmt.Sprintf(`[["with","%d"]]`, hidden), "add", "starred").
		Is(400, `{"result":"error","code":"BAD_NARROW","msg":"Invalid narrow operator: Invalid 'with' operator",`+
			`"desc":"Invalid 'with' operator"}`)
	if got := flags(s, "alice", hidden); got != "" {
		t.Errorf("the hidden message has %q", got)
	}
	if got := flags(s, "bob", two); got != "starred" {
		t.Errorf("the other one has %q", got)
	}
}

func TestHasReaction(t *testing.T) {
	s := startFull(t)
	first, second := post(s, "alice", "general", "a", "x"), post(s, "alice", "general", "a", "y")
	direct := sendDirect(s, "alice", "z", "bob")
	react(s, "alice", first, "emoji_name", "heart").OK()
	react(s, "bob", direct, "emoji_name", "heart").OK()
	for narrow, want := range map[string]string{
		`[["has","reaction"]]`:                                     fmt.Sprint(first, " ", direct),
		`[["has","reaction"],["channel","general"]]`:               fmt.Sprint(first),
		`[{"operator":"has","operand":"reaction","negated":true}]`: fmt.Sprint(second),
	} {
		if got := search(s, "bob", narrow).ids(); got != want {
			t.Errorf("%s: %s, want %s", narrow, got, want)
		}
	}
}

func TestReadReceipts(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "a", "x")
	path := fmt.Sprintf("GET /messages/%d/read_receipts", id)
	readers := func(as string) string { t.Helper(); return kittest.JSON(s.As(as).Do(path).OK().Get("user_ids")) }
	if got := readers("alice"); got != "[]" {
		t.Errorf("before any user has read it: %s", got)
	}
	for _, who := range []string{"alice", "bob", "olga", "guest", "bot"} {
		mark(s, who, "add", "read", id)
	}
	if got, want := readers("bob"), ids(s, "bob", "olga", "guest", "bot"); got != want {
		t.Errorf("after all have read it: %s, want %s", got, want)
	}
	s.As("olga").Do("PATCH /settings", "send_read_receipts", "false").OK()
	s.As("guest").Do(fmt.Sprintf("POST /users/me/muted_users/%d", s.UserID("alice"))).OK()
	mark(s, "bot", "remove", "read", id)
	if got, want := readers("alice"), ids(s, "bob"); got != want {
		t.Errorf("to alice, whom guest has muted: %s, want %s", got, want)
	}
	s.As("olga").Do("PATCH /realm", "enable_read_receipts", "false").OK()
	s.As("bob").Do(path).Error(400, "BAD_REQUEST", "Read receipts are disabled in this organization.")
	s.As("bob").Do("GET /messages/99999/read_receipts").Error(400, "BAD_REQUEST", "Invalid message(s)")
}

// A message that moves into a channel with protected history reveals its topic only to users who were subscribed at the
// time.
func TestTopicsOfMovedMessages(t *testing.T) {
	s := startFull(t)
	rooms := moveRooms(s)
	id := post(s, "olga", "public", "brought", "x")
	subscribe(s, "olga", "adam", "protected") // after the message, before the move
	edit(s, "olga", id, "stream_id", fmt.Sprint(rooms["protected"]), "send_notification_to_new_thread", "false").OK()
	subscribe(s, "olga", "alice", "protected") // after the move
	want := fmt.Sprintf(`[{"max_id":%d,"name":"brought"}]`, id)
	if got := topicsOf(s, "adam", rooms["protected"]); got != want {
		t.Errorf("adam: %s, want %s", got, want)
	}
	if got := topicsOf(s, "alice", rooms["protected"]); got != "[]" {
		t.Errorf("alice: %s", got)
	}
}
