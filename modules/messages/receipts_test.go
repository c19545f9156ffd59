package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// This test checks who can see whose read receipts. All users below have read the message, which alice sent.
func TestReceiptRules(t *testing.T) {
	s := startFull(t)
	everybody := []string{"alice", "bob", "olga", "adam", "mona", "guest", "bot"}
	makeChannel(s, "hall", everybody)
	id := post(s, "alice", "hall", "x", "x")
	path := fmt.Sprintf("GET /messages/%d/read_receipts", id)
	expectReaders := func(as string, want ...string) {
		t.Helper()
		if got, w := kittest.JSON(s.As(as).Do(path).OK().Get("user_ids")), ids(s, want...); got != w {
			t.Errorf("%s sees %s, want %v", as, got, want)
		}
	}
	expectReaders("alice")
	for _, who := range everybody {
		mark(s, who, "add", "read", id).OK()
	}
	s.Skip()
	expectReaders("alice", "bob", "olga", "adam", "mona", "guest", "bot") // never includes the sender
	expectReaders("bob", "bob", "olga", "adam", "mona", "guest", "bot")   // includes the caller
	s.NoEvents()
	mark(s, "bob", "remove", "read", id).OK()
	expectReaders("alice", "olga", "adam", "mona", "guest", "bot")
	mark(s, "bob", "add", "read", id).OK()
	s.As("olga").Do("PATCH /settings", "send_read_receipts", "false").OK()
	expectReaders("alice", "bob", "adam", "mona", "guest", "bot")
	expectReaders("olga", "bob", "adam", "mona", "guest", "bot")
	s.As("bob").Do(fmt.Sprintf("POST /users/me/muted_users/%d", s.UserID("mona"))).OK()
	expectReaders("bob", "bob", "adam", "guest", "bot") // without users that the caller has muted
	expectReaders("mona", "adam", "mona", "guest", "bot")
	expectReaders("alice", "bob", "adam", "mona", "guest", "bot")
	s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["hall"]`).OK()
	expectReaders("alice", "bob", "adam", "mona", "guest", "bot") // leaving the channel keeps the receipt
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
	expectReaders("alice", "bob", "adam", "guest", "bot")
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("mona"))).OK()
	expectReaders("alice", "bob", "adam", "mona", "guest", "bot")
}

// Receipts reveal neither hidden users nor hidden messages.
func TestReceiptsOfOthers(t *testing.T) {
	s := startFull(t)
	makeChannel(s, "den", []string{"olga", "mona"}, "invite_only", "true", "history_public_to_subscribers", "true")
	hidden, direct := post(s, "olga", "den", "x", "x"), sendDirect(s, "olga", "x", "mona")
	open := post(s, "alice", "general", "x", "x")
	subscribe(s, "olga", "mona", "general")
	late := post(s, "alice", "general", "x", "x")
	for _, who := range []string{"bob", "mona", "guest"} {
		mark(s, who, "add", "read", late).OK()
	}
	mark(s, "mona", "add", "read", direct, hidden).OK()
	receipts := func(as string, id int64) *kittest.Response {
		return s.As(as).Do(fmt.Sprintf("GET /messages/%d/read_receipts", id))
	}
	for _, id := range []int64{hidden, direct, 1 << 40, 0, -1} {
		for _, who := range []string{"bob", "guest", "adam", "bot"} {
			receipts(who, id).Error(400, "BAD_REQUEST", "Invalid message(s)")
		}
	}
	for id, want := range map[int64]string{hidden: ids(s, "mona"), direct: ids(s, "mona"), open: "[]",
		late: ids(s, "bob", "mona", "guest")} {
		if got := kittest.JSON(receipts("olga", id).OK().Get("user_ids")); got != want {
			t.Errorf("message %d: %s, want %s", id, got, want)
		}
	}
	// A restricted guest sees users with whom they share a channel.
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", systemGroup(s, "members")).OK()
	if got, want := kittest.JSON(receipts("guest", late).OK().Get("user_ids")),
		ids(s, "bob", "mona", "guest"); got != want {
		t.Errorf("guest sees %s, want %s", got, want)
	}
	s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	if got, want := kittest.JSON(receipts("guest", late).OK().Get("user_ids")), ids(s, "bob", "guest"); got != want {
		t.Errorf("guest sees %s, want %s: mona shares no channel with them now", got, want)
	}
	if got, want := kittest.JSON(receipts("bob", late).OK().Get("user_ids")), ids(s, "bob", "mona", "guest"); got != want {
		t.Errorf("bob sees %s, want %s", got, want)
	}
}
