package realm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// TestDeactivate checks who can deactivate a realm, what clients receive, and that requests are refused until the realm
// is reactivated.
func TestDeactivate(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, events.Module, messages.Module)
	for _, who := range []string{"adam", "mona", "alice", "guest", "bot"} {
		s.As(who).Do("POST /realm/deactivate").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
	}
	for _, days := range []string{"0", "13", "-1", "99999999", `"never"`, "1.5"} {
		s.As("olga").Do("POST /realm/deactivate", "deletion_delay_days", days).Error(400, "BAD_REQUEST", "")
	}
	s.NoEvents()

	register := func(types string) (string, string) {
		a := s.As("bob").Do("POST /register", "event_types", types, "fetch_event_types", "[]").OK()
		return a.String("queue_id"), fmt.Sprint(a.Int("last_event_id"))
	}
	queue, last := register(`["realm"]`)
	otherQueue, otherLast := register(`["message"]`)
	late, lateLast := register(`["realm"]`)
	answered := make(chan int, 2)
	for _, q := range [][2]string{{queue, last}, {otherQueue, otherLast}} {
		req := s.As("bob").Request("GET /events?queue_id="+q[0]+"&last_event_id="+q[1], nil)
		go func() {
			res, err := s.Client.Do(req)
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			_ = res.Body.Close()
			answered <- res.StatusCode
		}()
	}
	s.As("olga").Do("POST /realm/deactivate", "deletion_delay_days", "14").Is(200, `{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`realm/deactivated everyone {"realm_id":%d}`, s.Realm))
	for range 2 { // polls end whether held or not, possibly with the event
		if got := <-answered; got != 200 && got != 401 && got != 400 {
			t.Errorf("a poll got status %d", got)
		}
	}

	const code = "REALM_DEACTIVATED"
	for _, call := range []string{
		"GET /users/me", "GET /users", "POST /register", "GET /messages?anchor=newest&num_before=1&num_after=0",
		"PATCH /realm", "POST /messages",
		"GET /events?queue_id=" + late + "&last_event_id=" + lateLast, "DELETE /events?queue_id=" + late,
		"POST /realm/deactivate",
		"POST /fetch_api_key",
	} {
		for _, c := range []*kittest.Client{s.As("olga"), s.As("alice"), s.As("bot"), s.WithKey("alice@example.com", "wrong"),
			s.Anonymous()} {
			c.Do(call).Error(401, code, "")
		}
	}
	login := func() *kittest.Response {
		return s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password)
	}
	login().Error(401, code, "")
	for _, call := range []string{"GET /server_settings", "GET /compatibility", "GET /realm/subdomain/other"} {
		s.Anonymous().Do(call).OK()
	}
	s.Restart()
	s.As("olga").Do("GET /users/me").Error(401, code, "")
	if err := s.Ports.States.Deactivate(t.Context(), s.Realm, nil); !errs.Is(err, errs.BadRequest) {
		t.Errorf("twice: %v", err)
	}

	s.Skip()
	if err := s.Ports.States.Reactivate(t.Context(), s.Realm); err != nil {
		t.Fatal(err)
	}
	s.Events("realm/reactivated nobody")
	login().OK()
	s.As("alice").Do("GET /users/me").OK()
	for _, q := range []string{queue, otherQueue, late} {
		s.As("bob").Do("GET /events", "queue_id", q, "last_event_id", "-1", "dont_block", "true").Error(400,
			"BAD_EVENT_QUEUE_ID", "")
	}
	if err := s.Ports.States.Reactivate(t.Context(), s.Realm); !errs.Is(err, errs.BadRequest) {
		t.Errorf("twice: %v", err)
	}
	v, err := s.Ports.Directory.Verified(t.Context(), s.Realm)
	if err != nil || v.Realm().Deactivated || !v.Realm().DeleteAfter.IsZero() {
		t.Errorf("the realm: %+v, %v", v.Realm(), err)
	}
}

// If marking a realm as being deleted fails, other realms are deleted nevertheless.
func TestDueAfterFailure(t *testing.T) {
	broken := ids.Realm(0)
	failed := errors.New("out of order")
	breaks := kit.Define("breaks", "Fails for a realm.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *directory.Changed) error {
			if m.Realm == broken {
				return failed
			}
			return nil
		})}}, nil
	})
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {realm: {domain: 127.0.0.1}}"}, realm.Module,
		accounts.Module, events.Module, breaks)
	days := 14
	var all []ids.Realm
	for _, name := range []string{"cynics", "skeptics"} {
		r, err := s.Ports.Realms.Create(t.Context(), name, name)
		if err == nil {
			err = s.Ports.States.Deactivate(t.Context(), r, &days)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	s.Clock.Advance(15 * 24 * time.Hour)
	broken = all[0]
	if due, err := s.Ports.States.Due(t.Context()); !errors.Is(err, failed) || !slices.Equal(due, all[1:]) {
		t.Errorf("due: %v, %v; want %v", due, err, all[1:])
	}
	broken = 0
	if due, err := s.Ports.States.Due(t.Context()); err != nil || !slices.Equal(due, all) {
		t.Errorf("due: %v, %v; want %v", due, err, all)
	}
}
