package oracle_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// far is a client connected to another node than the one where changes are made.
type far struct{ *kittest.Queue }

func onNode(n *kittest.Server, who string) *far {
	return &far{n.As(who).Register("event_types", `["message"]`, "all_public_streams", fmt.Sprint(who != "guest"))}
}

// poll returns the texts of new messages and the response's status.
func (f *far) poll() (texts []string, status int) {
	a := f.Poll()
	if a.Status != 200 {
		return nil, a.Status
	}
	var res struct {
		Events []struct {
			ID      int64
			Message struct{ Content string }
		}
	}
	a.JSON(&res)
	for _, e := range res.Events {
		f.Last = e.ID
		texts = append(texts, e.Message.Content)
	}
	return texts, 200
}

// A revocation on one node takes effect on all others. Events committed later are not delivered, and requests are
// refused within a second, because the other node's view cannot be older than that.
func TestRevocationOnTwoNodes(t *testing.T) {
	for _, c := range []struct {
		name, who string
		revoke    func(here *kittest.Server)
		refused   func(there *kittest.Server) bool // checks that the user is no longer allowed to do something
		ended     bool                             // whether the user is not allowed to do anything any more
	}{
		{
			"deactivation", "alice",
			func(s *kittest.Server) { s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice"))).OK() },
			func(n *kittest.Server) bool { return n.As("alice").Do("GET /users/me").Status == 401 }, true,
		},
		{
			"the end of a subscription", "alice",
			func(s *kittest.Server) {
				s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals",
					fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
			},
			func(n *kittest.Server) bool {
				return n.As("alice").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			}, false,
		},
		{
			"a lower role", "mona", // mona could see the channel as a moderator
			func(s *kittest.Server) {
				s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("mona")), "role", "600").OK()
			},
			func(n *kittest.Server) bool {
				return n.As("mona").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			}, false,
		},
		{
			"a public channel that becomes private", "bob",
			func(s *kittest.Server) {
				s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("secret")), "is_private", "true").OK()
			},
			func(n *kittest.Server) bool {
				return n.As("bob").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			}, false,
		},
		{
			"another API key", "alice",
			func(s *kittest.Server) { s.As("alice").Do("POST /users/me/api_key/regenerate").OK() },
			func(n *kittest.Server) bool { return n.As("alice").Do("GET /users/me").Status == 401 }, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := harness.StartAll(t)
			there := here.Another()
			secret := fmt.Sprint(here.ChannelID("secret"))
			switch c.who {
			case "mona":
				here.As("olga").Do("PATCH /streams/"+secret, "can_subscribe_group", `{"new":4}`).OK()
			case "bob":
				here.As("olga").Do("PATCH /streams/"+secret, "is_private", "false").OK()
			}
			say := func(text string) {
				here.As("olga").Do("POST /messages", "type", "channel", "to", secret, "topic", "t", "content", text).OK()
			}
			kittest.Await(t, func() bool { return !c.refused(there) })
			f := onNode(there, c.who)
			if c.who != "mona" { // she can read it, but is not subscribed
				say("before")
				kittest.Await(t, func() bool { texts, _ := f.poll(); return strings.Join(texts, "") == "before" })
			}
			c.revoke(here)
			if c.ended {
				changesNothing(t, there, c.who)
			}
			say("after")
			kittest.Await(t, func() bool {
				if texts, _ := f.poll(); len(texts) > 0 {
					t.Fatalf("delivered after the commit: %q", texts)
				}
				return c.refused(there)
			})
			if texts, _ := f.poll(); len(texts) > 0 {
				t.Errorf("delivered at the end: %q", texts)
			}
		})
	}
}

// changesNothing tries to make changes with a key that has just been revoked on another node, and checks that none of
// them takes effect.
func changesNothing(t *testing.T, n *kittest.Server, who string) {
	t.Helper()
	general := fmt.Sprint(n.ChannelID("general"))
	var calls sync.WaitGroup // concurrently, before the node has seen the revocation
	for _, call := range [][]string{
		{"POST /messages", "type", "channel", "to", general, "topic", "t", "content", "late"},
		{"POST /messages/flags", "messages", "[1]", "op", "add", "flag", "starred"}, {"POST /mark_all_as_read"},
		{"POST /users/me/subscriptions", "subscriptions", `[{"name":"late"}]`}, {"PATCH /settings", "full_name", "Late"},
		{"POST /users/me/status", "status_text", "late"}, {"POST /user_groups/create", "name", "late", "description", "",
			"members", "[]"},
		{"POST /saved_snippets", "title", "late", "content", "late"},
		{"POST /scheduled_messages", "type", "channel", "to", general, "topic", "t", "content", "late",
			"scheduled_delivery_timestamp", "4000000000"},
		{"POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"late"}]`},
		{"POST /navigation_views", "fragment", "inbox", "is_pinned", "true"},
		{"POST /users/me/alert_words", "alert_words", `["late"]`},
		{"POST /users/me/muted_users/" + fmt.Sprint(n.UserID("bob"))},
		{"POST /user_topics", "stream_id", general, "topic", "t", "visibility_policy", "3"},
		{"POST /bots", "full_name", "Late", "short_name", "late"},
		{"POST /register"}, {"POST /users/me/presence", "status", "active"},
		{"POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", n.UserID("bob"))},
		{"POST /users/me/onboarding_steps", "onboarding_step", "intro_resolve_topic"},
	} {
		calls.Go(func() {
			a := n.As(who).Do(call[0], call[1:]...)
			// The node may see the revocation between the login and the search for unread messages, and find none.
			nothing := call[0] == "POST /mark_all_as_read" && a.Status == 200
			if a.Status != 401 && !nothing {
				t.Errorf("%s: %d", call[0], a.Status)
			}
		})
	}
	calls.Wait()
}
