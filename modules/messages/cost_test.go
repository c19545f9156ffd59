package messages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// TestSearchIsCharged checks that searches are charged for the content they read, return what they have found when the
// budget is exhausted, and can continue once it is replenished. Other users, and requests that read no content, are not
// affected.
func TestSearchIsCharged(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	config := "http: {rate_limits: {enabled: true, per_user: 5000, bulk: 1}}\n" +
		"modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"
	s := kittest.StartWith(t, kittest.Options{Config: config},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	long := strings.Repeat("so many words ", 700)
	const sent = 700
	for i := range sent {
		post(s, "alice", "general", "talk", fmt.Sprint(i, " ", long))
	}
	negated := `[{"operator":"search","operand":"unicorn","negated":true}]`
	first := search(s, "bob", negated)
	if n := len(first.Messages); n < 100 || n == sent || first.FoundOldest || !first.FoundNewest || !first.FoundAnchor {
		t.Errorf(
			"a part: %d messages, oldest %v, newest %v, anchor %v",
			n,
			first.FoundOldest,
			first.FoundNewest,
			first.FoundAnchor,
		)
	}
	bob := s.As("bob")
	for op, params := range map[string][]string{
		"GET /messages":                {"anchor", "newest", "num_before", "100", "narrow", negated},
		"GET /messages/matches_narrow": {"msg_ids", fmt.Sprintf("[%d]", first.Messages[0].ID), "narrow", negated},
		"POST /messages/flags/narrow": {"anchor", "newest", "num_before", "9", "num_after", "0", "op", "add", "flag", "read",
			"narrow", negated},
	} {
		a := bob.Do(op, params...)
		if a.Status != 429 || a.String("code") != "RATE_LIMIT_HIT" || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s right after that: %d %s", op, a.Status, a.Body)
		}
	}
	if n := len(list(s, "bob", "anchor", "newest", "num_before", "100").Messages); n != 100 {
		t.Errorf("without searching: %d messages", n)
	}
	if n := len(search(s, "olga", negated).Messages); n < 100 {
		t.Errorf("another user: %d messages", n)
	}
}

// TestSearchWords checks that all searches of a narrow share one limit on words.
func TestSearchWords(t *testing.T) {
	s := startFull(t)
	words := func(from int) string {
		var b strings.Builder
		for i := range 26 {
			fmt.Fprintf(&b, "w%d ", from+i)
		}
		return b.String()
	}
	narrow := fmt.Sprintf(`[["search",%q],{"operator":"search","operand":%q,"negated":true}]`, words(100), words(200))
	s.As("bob").Do("GET /messages", "anchor", "newest", "narrow", narrow).
		Error(400, "BAD_REQUEST", "The search has too many words (maximum 50)")
}

// TestLargeAnswers checks that responses that would be too large are truncated on both sides of the anchor, and that
// they report the truncation.
func TestLargeAnswers(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	s := startFull(t)
	var all []int64
	long := strings.Repeat("語", 9900)
	for i := range 340 { // 10 MB
		all = append(all, post(s, "alice", "general", "talk", fmt.Sprint(i, long)))
	}
	middle := all[len(all)/2]
	for anchor, ends := range map[string][3]bool{ // oldest, newest, anchor
		"newest": {false, true, true}, "oldest": {true, false, true}, fmt.Sprint(middle): {false, false, true},
	} {
		before, after := "400", "400"
		switch anchor {
		case "newest":
			after = "0"
		case "oldest":
			before = "0"
		}
		p := list(s, "bob", "anchor", anchor, "num_before", before, "num_after", after)
		n := len(p.Messages)
		if got := [3]bool{p.FoundOldest, p.FoundNewest, p.FoundAnchor}; n < 200 || n == len(all) || got != ends {
			t.Errorf("%s: %d messages, ends %v, want %v", anchor, n, got, ends)
		}
		for i, m := range p.Messages[1:] {
			if m.ID != p.Messages[i].ID+1 {
				t.Errorf("%s: a gap after %d", anchor, p.Messages[i].ID)
			}
		}
	}
	ids := strings.ReplaceAll(fmt.Sprint(all), " ", ",")
	s.As("bob").Do("GET /messages", "message_ids", ids).
		Error(400, "BAD_REQUEST", "These messages are too large for one answer. Ask for fewer at once.")
	s.As("bob").Do("GET /messages/matches_narrow", "msg_ids", ids, "narrow", "[]").
		Error(400, "BAD_REQUEST", "These messages are too large for one answer. Ask for fewer at once.")
	if n := len(list(s, "bob", "message_ids",
		fmt.Sprint(strings.ReplaceAll(fmt.Sprint(all[:100]), " ", ","))).Messages); n != 100 {
		t.Errorf("100 of them: %d", n)
	}
}

// TestMovesAreCharged checks that moving many messages exhausts the mover's budget, while single messages can still be
// moved.
func TestMovesAreCharged(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "http: {rate_limits: {enabled: true, per_user: 5000, bulk: 1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	var id int64
	for range 300 { // 4 KiB each
		id = post(s, "alice", "general", "talk", "x")
	}
	whole := []string{"propagate_mode", "change_all", "send_notification_to_new_thread", "false"}
	edit(s, "olga", id, append(whole, "topic", "lunch")...).OK()
	edit(s, "olga", id, append(whole, "topic", "dinner")...).Error(429, "RATE_LIMIT_HIT", "API usage exceeded rate limit")
	if got := list(s, "bob", "anchor", "newest", "num_before", "500", "narrow",
		`[["topic","lunch"]]`); len(got.Messages) != 300 {
		t.Errorf("after the refusal: %d messages", len(got.Messages))
	}
	edit(s, "olga", id, "topic", "dinner", "send_notification_to_new_thread", "false").OK()
	s.Clock.Advance(time.Minute)
	edit(s, "olga", id-1, append(whole, "topic", "breakfast")...).OK()
}
