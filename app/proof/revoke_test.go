package proof_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// far is a client of another node than the one where things change.
type far struct {
	*kittest.Client
	queue string
	last  int64
}

func away(n *kittest.Server, who string) *far {
	a := n.As(who).Do("POST /register", "event_types", `["message"]`, "all_public_streams", fmt.Sprint(who != "guest")).OK()
	return &far{n.As(who), a.String("queue_id"), a.Int("last_event_id")}
}

// poll gives the texts of the messages that have come, and how the poll was answered.
func (f *far) poll() (texts []string, status int) {
	a := f.Do("GET /events", "queue_id", f.queue, "last_event_id", fmt.Sprint(f.last), "dont_block", "true")
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
		f.last = e.ID
		texts = append(texts, e.Message.Content)
	}
	return texts, 200
}

// What is taken away on one node ends on every other: of what is said after the commit nothing arrives, and a request is refused
// as soon as the other node's view may not be older than the commit, which is a second.
func TestRevocationOnTwoNodes(t *testing.T) {
	for _, c := range []struct {
		name, who string
		revoke    func(here *kittest.Server)
		refused   func(there *kittest.Server) bool // what the person may no longer do
	}{
		{
			"deactivation", "alice",
			func(s *kittest.Server) { s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice"))).OK() },
			func(n *kittest.Server) bool { return n.As("alice").Do("GET /users/me").Status == 401 },
		},
		{
			"the end of a subscription", "alice",
			func(s *kittest.Server) {
				s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals", fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
			},
			func(n *kittest.Server) bool {
				return n.As("alice").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			},
		},
		{
			"a lower role", "mona", // who knew of the channel as a moderator
			func(s *kittest.Server) {
				s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("mona")), "role", "600").OK()
			},
			func(n *kittest.Server) bool {
				return n.As("mona").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			},
		},
		{
			"a public channel that becomes private", "bob",
			func(s *kittest.Server) {
				s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("secret")), "is_private", "true").OK()
			},
			func(n *kittest.Server) bool {
				return n.As("bob").Do(fmt.Sprintf("GET /users/me/%d/topics", n.ChannelID("secret"))).Status == 400
			},
		},
		{
			"another API key", "alice",
			func(s *kittest.Server) { s.As("alice").Do("POST /users/me/api_key/regenerate").OK() },
			func(n *kittest.Server) bool { return n.As("alice").Do("GET /users/me").Status == 401 },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := everything(t)
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
			f := away(there, c.who)
			if c.who != "mona" { // who may read, but does not subscribe
				say("before")
				kittest.Await(t, func() bool { texts, _ := f.poll(); return strings.Join(texts, "") == "before" })
			}
			c.revoke(here)
			committed := time.Now()
			say("after")
			kittest.Await(t, func() bool {
				if texts, _ := f.poll(); len(texts) > 0 {
					t.Fatalf("after the commit comes %q", texts)
				}
				return c.refused(there)
			})
			t.Logf("refused %v after the commit", time.Since(committed).Round(time.Millisecond))
			if texts, _ := f.poll(); len(texts) > 0 {
				t.Errorf("at the end comes %q", texts)
			}
		})
	}
}
