package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// senderOf returns the sender shown with a message: name, address, avatar.
func senderOf(m any) string {
	o, _ := m.(map[string]any)
	return fmt.Sprint(o["sender_full_name"], " ", o["sender_email"], " ", o["avatar_url"])
}

// senders returns the senders of a queue's message events.
func senders(q *queue) []string {
	q.s.T.Helper()
	all := []string{}
	for _, e := range q.poll() {
		all = append(all, fmt.Sprint(senderOf(e["message"]), " ", kittest.JSON(e["flags"])))
	}
	return all
}

// shownSender returns the sender of a message as shown to a user. It checks that all answers with the message agree.
func shownSender(s *kittest.Server, c *kittest.Client, id int64, narrow, word string) string {
	s.T.Helper()
	got := senderOf(c.Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message"))
	window := []string{"anchor", fmt.Sprint(id), "num_before", "0", "num_after", "0"}
	for what, params := range map[string][]string{
		"history": append([]string{"narrow", narrow}, window...),
		"a search": append([]string{"narrow", fmt.Sprintf(`%s,["search",%q]]`, strings.TrimSuffix(narrow, "]"), word)},
			window...),
		"by id": {"message_ids", fmt.Sprintf("[%d]", id), "narrow", narrow},
	} {
		a := c.Do("GET /messages", params...).OK()
		if at := senderOf(a.Get("messages.0")); at != got && a.Has("messages.0") || !a.Has("messages.0") {
			s.T.Errorf("%s: %q, but alone %q: %s", what, at, got, a.Body)
		}
	}
	return got
}

// A guest who cannot see a user receives a placeholder as the sender of all of that user's messages, old and new. Other
// users receive the sender.
func TestUnknownSender(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", systemGroup(s, "members")).OK()
	subscribe := func(method, who string) {
		t.Helper()
		channels := map[string]string{"POST": `[{"name":"general"}]`, "DELETE": `["general"]`}[method]
		s.As("olga").Do(method+" /users/me/subscriptions", "subscriptions", channels, "principals", ids(s, who),
			"send_new_subscription_messages", "false").OK()
	}
	guest, bob := s.As("guest"), s.As("bob")
	const here, word = `[["channel","general"]]`, "hello"

	// Users in /register that the guest cannot see.
	unknown := map[string]string{}
	people := guest.Do("POST /register", "fetch_event_types", `["realm_user"]`).OK()
	for i := range people.Get("realm_users").([]any) {
		at := fmt.Sprintf("realm_users.%d.", i)
		if people.String(at+"full_name") == "Unknown user" {
			unknown[nameOf(s, people.Int(at+"user_id"))] = "Unknown user " + people.String(at+"email") + " " +
				people.String(at+"avatar_url")
		}
	}
	if len(unknown) != 2 || unknown["adam"] == "" || unknown["adam"] == unknown["mona"] ||
		strings.Contains(unknown["adam"], "adam") {
		t.Fatalf("unknown are %v", unknown)
	}
	live, slow, others, noGravatar := listen(s, "guest"), listen(s, "guest"), listen(s, "bob"),
		listen(s, "guest", "client_gravatar", "false")
	id := post(s, "adam", "general", "x", fmt.Sprintf("%s @**|%d**", word, s.UserID("guest")))
	named := shownSender(s, bob, id, here, word)
	if named != "Adam adam@example.com <nil>" {
		t.Fatalf("adam's message is from %s", named)
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		equal(t, what, got, kittest.JSON(append([]string{}, want...)))
	}
	check("at once", senders(live), unknown["adam"]+` ["mentioned"]`)
	check("a client that finds no pictures", senders(noGravatar), unknown["adam"]+` ["mentioned"]`)
	check("bob", senders(others), named+` []`)
	if got := shownSender(s, guest, id, here, word); got != unknown["adam"] {
		t.Errorf("the guest sees it from %s", got)
	}
	if got := guest.Do(fmt.Sprintf("GET /messages/%d", id)).OK().Int("message.sender_id"); got != int64(s.UserID("adam")) {
		t.Errorf("sender_id %d", got)
	}

	// The guest can see a user while they share a channel.
	alices := post(s, "alice", "general", "x", word)
	const alice = "Alice alice@example.com <nil>"
	check("of alice", senders(live), alice+` []`)
	if got := shownSender(s, guest, alices, here, word); got != alice {
		t.Errorf("alice's is from %s", got)
	}
	subscribe("DELETE", "alice")
	hidden := shownSender(s, guest, alices, here, word)
	if !strings.HasPrefix(hidden, "Unknown user user") || hidden == unknown["adam"] {
		t.Errorf("the message of the user who left is from %s", hidden)
	}
	check("late, from a hidden user and from one hidden since", senders(slow), unknown["adam"]+` ["mentioned"]`,
		hidden+` []`)

	// A user who has become visible is shown in earlier events too.
	late := listen(s, "guest")
	second := post(s, "adam", "general", "x", word)
	subscribe("POST", "adam")
	check("late, from a user visible since", senders(late), named+` []`)
	for _, m := range []int64{id, second} {
		if got := shownSender(s, guest, m, here, word); got != named {
			t.Errorf("the guest sees %d from %s", m, got)
		}
	}
	// Participants of a direct conversation see each other.
	senders(live)
	direct := sendDirect(s, "mona", word, "guest", "alice")
	check("directly", senders(live), "Mona mona@example.com <nil> []")
	one := guest.Do(fmt.Sprintf("GET /messages/%d", direct)).OK()
	if got := kittest.JSON(one.Get("message.display_recipient")); !strings.Contains(got, `"Mona"`) ||
		!strings.Contains(got, `"Alice"`) || strings.Contains(got, "Unknown") {
		t.Errorf("among %s", got)
	}
}

// A queue narrowed to a hidden address receives none of the sender's messages, because they would reveal the address.
func TestUnknownSenderIsNotFoundByAddress(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", systemGroup(s, "members")).OK()
	by := func(who, of string) *queue { return listen(s, who, "narrow", fmt.Sprintf(`[["sender",%q]]`, of)) }
	guessed, bobs, alices := by("guest", "adam@example.com"), by("bob", "adam@example.com"),
		by("guest", "alice@example.com")
	id := post(s, "adam", "general", "x", "hello")
	post(s, "alice", "general", "x", "hello")
	for what, c := range map[string]struct {
		q    *queue
		want int
	}{"by a guess": {guessed, 0}, "a user who may see it": {bobs, 1}, "of a visible user": {alices, 1}} {
		if got := c.q.poll(); len(got) != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	s.As("guest").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
		`[["sender","adam@example.com"]]`).Error(400, "BAD_NARROW", "")
	narrow := fmt.Sprintf(`[{"operator":"channel","operand":"general"},{"operator":"sender","operand":%d}]`,
		s.UserID("adam"))
	if got := list(s, "guest", "anchor", "newest", "num_before", "9", "narrow", narrow).ids(); got != fmt.Sprint(id) {
		t.Errorf("by id, which is known: %s", got)
	}
}

// Spectators see senders if they are allowed to see users at all.
func TestUnknownSenderToSpectators(t *testing.T) {
	s := startOpen(t)
	s.As("olga").Do("POST /channels/create", "name", "open", "is_web_public", "true", "subscribers", ids(s, "bob")).OK()
	bobs, alices := post(s, "bob", "open", "x", "hello"), post(s, "alice", "open", "x", "hello")
	by := func(who string, id int64) string {
		t.Helper()
		got := shownSender(s, s.Anonymous(), id, `[["channels","web-public"]]`, "hello")
		name, address, _ := strings.Cut(got, " user"+fmt.Sprint(s.UserID(who))+"@stoa.invalid https://")
		if address == "" {
			t.Errorf("the address in %s", got)
		}
		return name
	}
	if a, b := by("alice", alices), by("bob", bobs); a != "Alice" || b != "Bob" {
		t.Errorf("by %s and %s", a, b)
	}
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", systemGroup(s, "members")).OK()
	if a, b := by("alice", alices), by("bob", bobs); a != "Unknown user" || b != "Bob" {
		t.Errorf("if guests are restricted: from %s and %s", a, b)
	}
}
