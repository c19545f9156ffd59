package oracle_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Restricted guests learn neither names nor addresses of users who share no channel with them.
func TestRestrictedGuest(t *testing.T) {
	s := sequential(t)
	olga, guest := s.As("olga"), s.As("guest")
	groups := olga.Do("GET /user_groups").OK().Body
	members := regexp.MustCompile(`"id":(\d+),"name":"role:members"`).FindStringSubmatch(groups)[1]
	olga.Do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%s}`, members)).OK()
	slow := listening(s, "guest")
	made := olga.Do("POST /users", "email", "canary@example.com", "full_name", "Canary One", "password",
		"correct horse battery").OK().Int("user_id")
	path := fmt.Sprintf(" /users/%d", made)
	one := fmt.Sprintf("[%d]", made)
	canary := s.WithKey("canary@example.com", s.Anonymous().Do("POST /fetch_api_key", "username", "canary@example.com",
		"password", "correct horse battery").OK().String("api_key"))
	canary.Do("PATCH /settings", "email_address_visibility", "1").OK()
	canary.Do("PATCH /settings", "timezone", "Europe/Vienna").OK()
	olga.Do("PATCH"+path, "full_name", "Canary Two", "role", "300").OK()
	canary.Do("POST /users/me/status", "status_text", "canary", "away", "true").OK()
	field := olga.Do("POST /realm/profile_fields", "field_type", "1", "name", "Motto").OK().Int("id")
	canary.Do("PATCH /users/me/profile_data", "data", fmt.Sprintf(`[{"id":%d,"value":"canary"}]`, field)).OK()
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"agora"}]`, "principals", one).OK()
	canary.Do("POST /messages", "type", "channel", "to", `"agora"`, "topic", "t", "content", "canary").OK()
	olga.Do("POST /messages", "type", "direct", "to", one, "content", "canary").OK()
	olga.Do("DELETE" + path).OK()
	olga.Do("POST" + path + "/reactivate").OK()
	texts := append(slow.drain(), slow.looks(s, int64(s.ChannelID("general")), 1)...)
	id := fmt.Sprint(made)
	for _, look := range [][]string{
		{"GET /users/" + id}, {"GET /users/canary@example.com"}, {"GET /users", "user_ids", one},
		{"GET /users/" + id + "/channels"},
		{"GET /users/" + id + "/status"}, {"GET /users", "include_custom_profile_fields", "true"},
		{"GET /users/" + id + "/subscriptions/" + fmt.Sprint(s.ChannelID("general"))},
		{"POST /messages", "type", "direct", "to", one, "content", "x"},
		{"POST /messages/render", "content", "@**Canary Two** @**|" + id + "** @_**canary two**"},
		{"POST /users/me/muted_users/" + id},
		{"GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			fmt.Sprintf(`[{"operator":"sender","operand":%s}]`, id)},
	} {
		texts = append(texts, guest.Do(look[0], look[1:]...).Body)
	}
	for _, text := range texts {
		// The guest's own words do not count.
		text = strings.NewReplacer("<strong>Canary Two</strong>", "", "<strong>canary two</strong>", "").Replace(text)
		if at := strings.Index(strings.ToLower(text), "canary"); at >= 0 {
			t.Errorf("the guest learns of a user: %.300s", around(text, text[at:at+6]))
		}
	}
}

// Nobody sees a hidden address.
func TestHiddenAddress(t *testing.T) {
	s := sequential(t)
	olga := s.As("olga")
	made := olga.Do("POST /users", "email", "canary@example.com", "full_name", "Hidden One", "password",
		"correct horse battery").OK().Int("user_id")
	canary := s.WithKey("canary@example.com", s.Anonymous().Do("POST /fetch_api_key", "username", "canary@example.com",
		"password", "correct horse battery").OK().String("api_key"))
	canary.Do("PATCH /settings", "email_address_visibility", "4").OK()
	var all []*outsider
	for _, name := range []string{"olga", "adam", "bob", "guest", "bot"} {
		all = append(all, listening(s, name))
	}
	general := fmt.Sprint(s.ChannelID("general"))
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
		fmt.Sprintf("[%d]", made)).OK()
	last := canary.Do("POST /messages", "type", "channel", "to", general, "topic", "t", "content", "x").OK().Int("id")
	for _, to := range []string{"olga", "bob"} {
		canary.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID(to)), "content", "x").OK()
		s.As(to).Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d,%d]", made, s.UserID("adam")), "content",
			"x").OK()
	}
	canary.Do("PATCH /settings", "timezone", "Europe/Vienna", "full_name", "Hidden Two").OK()
	olga.Do(fmt.Sprintf("PATCH /users/%d", made), "role", "600").OK()
	olga.Do(fmt.Sprintf("DELETE /users/%d", made)).OK()
	for _, o := range all {
		texts := append(o.drain(), o.looks(s, int64(s.ChannelID("general")), last)...)
		texts = append(texts, o.Do("GET /messages", "anchor", "newest", "num_before", "20", "num_after", "0",
			"client_gravatar", "false").Body,
			o.Do("GET /users", "client_gravatar", "false").Body,
			o.Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", made), "content", "x").Body)
		for _, text := range texts {
			if strings.Contains(text, "canary") || strings.Contains(text, avatarHash("canary@example.com")) {
				t.Errorf("%s learns the address: %.300s", o.name, around(text, "canary"))
			}
		}
		if got := o.Do("GET /users/canary@example.com"); got.Body != o.Do("GET /users/nobody@example.com").Body {
			t.Errorf("%s learns whose address it is: %s", o.name, got.Body)
		}
	}
}

// A hidden address does not reach slow queues either.
func TestSlowQueueAfterHidingTheAddress(t *testing.T) {
	s := sequential(t)
	alice := s.As("alice")
	alice.Do("PATCH /settings", "email_address_visibility", "4").OK()
	var slow []*outsider
	for _, name := range []string{"bob", "guest", "olga"} {
		slow = append(slow, listening(s, name))
	}
	alice.Do("PATCH /settings", "email_address_visibility", "1").OK()
	alice.Do("PATCH /settings", "email_address_visibility", "3").OK()
	alice.Do("PATCH /settings", "email_address_visibility", "4").OK()
	for _, o := range slow {
		for _, text := range o.drain() {
			if strings.Contains(text, "alice@example.com") || strings.Contains(text, avatarHash("alice@example.com")) {
				t.Errorf("%s learns the address: %.300s", o.name, around(text, "alice@example.com"))
			}
		}
	}
}

func avatarHash(email string) string {
	sum := md5.Sum([]byte(email))
	return hex.EncodeToString(sum[:])
}

// Incoming webhook bots can call only the routes open to them, which send messages. They can call no other route with
// any method.
func TestWebhookBots(t *testing.T) {
	s := sequential(t)
	by := user.Actor{Realm: s.Realm, System: true}
	id, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
		Email: "hook@example.com", FullName: "Hook", Role: user.Member, BotType: user.IncomingWebhook,
		BotOwner: s.UserID("olga"),
	})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Ports.Accounts.IssueKey(t.Context(), by, id)
	if err != nil {
		t.Fatal(err)
	}
	hook := s.WithKey("hook@example.com", key)
	var theirs []string
	for _, e := range s.Ports.Collected.Endpoints {
		if e.ForWebhooks {
			theirs = append(theirs, e.Method+" "+e.Path)
		}
		if e.Call == nil || e.Access.Open() || e.ForWebhooks {
			continue
		}
		hook := hook
		if e.Root {
			hook = hook.Under("")
		}
		path := regexp.MustCompile(`:[a-z_]+`).ReplaceAllString(e.Path, "1")
		for _, call := range []string{e.Method + " " + path, "POST " + path} {
			params := []string(nil)
			if call != e.Method+" "+path {
				params = []string{"method", e.Method}
			}
			if call == "POST /messages" && e.Method == "GET" { // a form can override the method, but not with GET
				continue
			}
			got := hook.Do(call, params...)
			if got.Status == 401 {
				got.Error(401, "UNAUTHORIZED", "This API is not available to incoming webhook bots.")
			} else if got.Status != 405 {
				t.Errorf("%s %v: %d %.200s", call, params, got.Status, got.Body)
			}
		}
	}
	if !slices.Equal(theirs, []string{"POST /messages", "POST /external/:integration"}) {
		t.Errorf("routes open to incoming webhook bots: %v", theirs)
	}
	hook.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "x").OK()
}
