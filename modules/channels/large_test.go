package channels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
)

// addMembers adds n members to the realm and returns their IDs as a list of principals.
func addMembers(s *kittest.Server, n int) string {
	s.T.Helper()
	ids := make([]string, n)
	s.Do(func(ctx context.Context) error {
		if _, err := s.Ports.Directory.View(ctx, s.Realm); err != nil {
			return err
		}
		e := event.Event{Realm: s.Realm, Type: "test", To: event.None(), Payload: struct{}{}}
		changes := make([]directory.Change, n)
		for i := range ids {
			u := user.User{ID: user.ID(1000 + i), Role: user.Member, Active: true,
				DeliveryEmail: fmt.Sprintf("u%d@example.com", i), FullName: fmt.Sprintf("U %d", i)}
			ids[i] = fmt.Sprint(int64(u.ID))
			changes[i] = directory.OfUser(nil, &u)
		}
		return s.Ports.Log.Append(ctx, e.Changing(changes...))
	})
	s.Skip()
	return "[" + strings.Join(ids, ",") + "]"
}

// TestSubscribeThousands checks that the log entry contains only an ID for each additional user, not a copy of the
// record.
func TestSubscribeThousands(t *testing.T) {
	const people = 2000
	s := start(t)
	all := addMembers(s, people)
	a := s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"},{"name":"general"}]`,
		"principals", all).OK()
	if a.Get("new_subscription_messages_sent") != false {
		t.Error("messages were sent to thousands of users")
	}
	entries := s.Log()
	if len(entries) > 4 {
		t.Errorf("%d entries were written", len(entries))
	}
	for _, e := range entries {
		if size := len(e.Payload); size > people*12+2000 {
			t.Errorf("the entry %s/%s has %d bytes", e.Type, e.Op, size)
		}
	}
	if got := s.As("olga").Do(fmt.Sprintf("GET /streams/%d",
		channelID(s, "Rome"))).OK().Int("stream.subscriber_count"); got != people {
		t.Errorf("%d subscribers, want %d", got, people)
	}
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["Rome"]`, "principals", all).OK()
	if entries := s.Log(); len(entries) > 3 {
		t.Errorf("unsubscribing wrote %d entries", len(entries))
	}
}

func TestTooMany(t *testing.T) {
	s := start(t)
	ids := "[" + strings.TrimSuffix(strings.Repeat("7,", 100_000), ",") + "]"
	for _, call := range []string{"POST /users/me/subscriptions", "DELETE /users/me/subscriptions"} {
		value := `[{"name":"Rome"}]`
		if strings.HasPrefix(call, "DELETE") {
			value = `["general"]`
		}
		if a := s.As("olga").Do(call, "subscriptions", value, "principals", ids); a.Status != 400 && a.Status != 413 {
			t.Errorf("%s with 100,000 principals: status %d", call, a.Status)
		}
	}
	names := make([]string, 501)
	for i := range names {
		names[i] = fmt.Sprintf(`{"name":"n%d"}`, i)
	}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", "["+strings.Join(names, ",")+"]").
		Error(400, "BAD_REQUEST", "Too many new channels in one request (limit: 500).")
	s.NoEvents()
}
