package oracle_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
)

// Missing and inaccessible channels are refused with the same text: in narrows, by ID, and when users who are not
// allowed to create channels name them.
func TestPrivateChannelNamesCannotBeGuessed(t *testing.T) {
	s := sequential(t)
	s.As("olga").Do("PATCH /realm", "can_create_public_channel_group",
		fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, s.UserID("olga"))).OK()
	secret := fmt.Sprint(s.ChannelID("secret"))
	for _, who := range []string{"bob", "guest", "bot"} {
		c := s.As(who)
		same := func(what string, secret, nowhere string, ask func(string) *kittest.Response) {
			s.Skip()
			one, other := ask(secret), ask(nowhere)
			if a, b := strings.ReplaceAll(one.Body, secret, "X"),
				strings.ReplaceAll(other.Body, nowhere, "X"); one.Status != other.Status || a != b {
				t.Errorf("%s %s: %.200s but %.200s", who, what, a, b)
			}
			if one.Status == 200 {
				t.Errorf("%s %s: %.200s", who, what, one.Body)
			}
			s.NoEvents()
		}
		for _, negated := range []string{"false", "true"} {
			narrow := func(operand string) func(string) *kittest.Response {
				return func(x string) *kittest.Response {
					return c.Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "narrow",
						fmt.Sprintf(`[{"operator":"channel","operand":`+operand+`,"negated":%s}]`, x, negated))
				}
			}
			same("narrow by name", "secret", "nowhere", narrow(`"%s"`))
			same("narrow by id", secret, "99999", narrow("%s"))
		}
		same("matches_narrow", "secret", "nowhere", func(x string) *kittest.Response {
			return c.Do("GET /messages/matches_narrow", "msg_ids", "[1]", "narrow", fmt.Sprintf(`[["channel",%q]]`, x))
		})
		if who != "bot" { // its owner is subscribed, so it may send there
			same("send by id", secret, "99999", func(x string) *kittest.Response {
				return c.Do("POST /messages", "type", "channel", "to", x, "topic", "t", "content", "x")
			})
		}
		for _, fatal := range []string{"true", "false"} {
			same("subscribe", "secret", "nowhere", func(x string) *kittest.Response {
				return c.Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":"general"},{"name":%q}]`, x),
					"authorization_errors_fatal", fatal)
			})
		}
		same("patch", "secret", "nowhere", func(x string) *kittest.Response {
			return c.Do("PATCH /users/me/subscriptions", "add", fmt.Sprintf(`[{"name":%q}]`, x))
		})
		same("create", "secret", "nowhere",
			func(x string) *kittest.Response { return c.Do("POST /channels/create", "name", x, "subscribers", "[]") })
	}
	// Users who are allowed to create channels learn that a name is taken. Users who can see the channel learn that they
	// cannot read it.
	s.As("olga").Do("POST /channels/create", "name", "secret", "subscribers", "[]").Error(409, "CHANNEL_ALREADY_EXISTS",
		"Channel 'secret' already exists")
	s.As("adam").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`).Error(400, "BAD_REQUEST",
		"Unable to access channel (secret).")
}

// A hidden address does not reach slow queues either, even if other users have already read the message.
func TestSlowQueueHidesSender(t *testing.T) {
	s := sequential(t)
	slow, fast := listening(s, "bob"), listening(s, "olga")
	s.As("alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "to all").OK()
	s.As("alice").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content",
		"to bob").OK()
	if before := strings.Join(fast.drain(), ""); !strings.Contains(before, `"sender_email":"alice@example.com"`) {
		t.Fatalf("olga does not see the address although everyone may: %.300s", before)
	}
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "4").OK()
	knownMessage := slow.drain()
	for _, text := range knownMessage {
		if strings.Contains(text, "alice@example.com") {
			t.Errorf("bob learns the address: %.300s", around(text, "alice@example.com"))
		}
	}
	for _, want := range []string{"to all", "to bob"} {
		if !strings.Contains(strings.Join(knownMessage, ""), want) {
			t.Errorf("bob does not receive the message %q", want)
		}
	}
}

// Users cannot make the realm's log grow faster than waiting queues can follow.
func TestSettingsDoNotFloodLog(t *testing.T) {
	s := sequential(t)
	set := func(n int) *kittest.Response {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"stream_id":%d,"property":"is_muted","value":%v}`, s.ChannelID("general"), i%2 == 0)
		}
		return form(s.As("alice"), "POST /users/me/subscriptions/properties", "subscription_data", "["+b.String()[1:]+"]")
	}
	s.Skip()
	set(4900).Error(400, "BAD_REQUEST", "Too many settings in one request (limit: 1000).")
	set(1000).OK()
	s.NoEvents()
	set(999).OK()
	if grown := len(s.Log()); grown != 2 { // in both of its forms
		t.Errorf("one change wrote %d entries", grown)
	}
}

// The preview of a text has the same length limit as a message.
func TestPreviewIsLimited(t *testing.T) {
	s := sequential(t)
	got := form(s.As("alice"), "POST /messages/render", "content", strings.Repeat("[a](", 40_000)).OK().String("rendered")
	if !strings.HasSuffix(got, "[message truncated]</p>") || len([]rune(got)) > 11_000 {
		t.Errorf("%d bytes, ends in %q", len(got), got[max(0, len(got)-60):])
	}
}

// The permission for a route that requires an administrator is checked again when the change is made.
func TestDefaultChannelPermissionIsRechecked(t *testing.T) {
	s := sequential(t)
	stale := s.Actor("adam")
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("adam")), "role", "400").OK()
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(s.ChannelID("general"))).OK()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"other"}]`).OK()
	other := channel.ID(s.As("olga").Do("GET /get_stream_id", "stream", "other").OK().Int("stream_id"))
	for call, id := range map[string]channel.ID{
		"POST /default_streams": other, "DELETE /default_streams": s.ChannelID("general"),
		"DELETE /streams/:stream_id": other,
	} {
		s.Skip()
		tried := false
		for _, e := range s.Ports.Collected.Endpoints {
			if e.Method+" "+e.Path != call {
				continue
			}
			tried = true
			_, err := e.Call(t.Context(), stale, filled(map[string]any{"stream_id": id}))
			var refusal *errs.Error
			if !errors.As(err, &refusal) {
				t.Errorf("%s: %v, want a refusal", call, err)
			}
			s.NoEvents()
		}
		if !tried {
			t.Errorf("%s does not exist", call)
		}
	}
}

// form sends one field in a multipart body, where it may be longer than elsewhere.
func form(c *kittest.Client, call, name, value string) *kittest.Response {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField(name, value)
	_ = w.Close()
	return c.Send(call, w.FormDataContentType(), &body)
}

// Everyone can read descriptions, so they never link to private channels, whoever writes them.
func TestDescriptionsRevealNoPrivateChannels(t *testing.T) {
	s := sequential(t)
	bob := s.As("bob")
	rendered := func(path string) string { return bob.Do("GET " + path).OK().String("stream.rendered_description") }
	bob.Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"probe","description":"#**secret** #**general**"}]`).OK()
	path := fmt.Sprintf("/streams/%d", bob.Do("GET /get_stream_id", "stream", "probe").OK().Int("stream_id"))
	for range 2 {
		if got := rendered(path); strings.Contains(got, "-secret") || !strings.Contains(got, "-general") {
			t.Errorf("bob learns of the channel secret: %s", got)
		}
		bob.Do("PATCH "+path, "description", "#**secret>x** #**general**").OK()
	}
}
