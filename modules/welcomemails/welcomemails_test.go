package welcomemails_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/welcomemails"
	"github.com/stoachat/stoa/ports"
)

func modules(mailer kit.Module) []kit.Module {
	return []kit.Module{realm.Module, accounts.Module, channels.Module, events.Module, mailmodule.Module, mailer,
		welcomemails.Module}
}

func TestModule(t *testing.T) {
	others := modules(log.Module)
	kittest.Check(t, welcomemails.Module, others[:len(others)-1]...)
}

// refuseJoin rejects users named "Refused" at the end of the transaction that creates them.
var refuseJoin = kit.Define("zrefuser", "Refuses users.", kit.None{},
	func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *user.Joined) error {
			if m.User.FullName == "Refused" {
				return errs.Bad("refused")
			}
			return nil
		}).Order(100)}}, nil
	})

func TestWelcome(t *testing.T) {
	f := &mailtest.Fake{}
	s := kittest.StartWith(t, kittest.Options{Config: "http: {url: https://chat.example.com, rate_limits: {enabled: " +
		"false}}"}, append(modules(f.Module()), refuseJoin)...)
	sent := func() []mail.Message {
		t.Helper()
		s.RunJob("mail.send_mails")
		return f.Received()
	}
	create := func(email, name string) *kittest.Response {
		return s.As("olga").Do("POST /users", "email", email, "full_name", name, "password", "battery horse")
	}
	if got := sent(); len(got) != 0 {
		t.Errorf("users created by the server: %+v", got)
	}
	s.As("olga").Do("PATCH /realm", "name", "Stoics www.evil.example").OK()
	create("eve@example.org", "Eve").OK()
	got := sent()
	if len(got) != 1 || got[0].To != "eve@example.org" || !strings.Contains(got[0].Subject, "Welcome to Stoics") {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"https://chat.example.com", "eve@example.org"} {
		if !strings.Contains(got[0].Text, want) {
			t.Errorf("no %s in\n%s", want, got[0].Text)
		}
	}
	if strings.Contains(got[0].Text+got[0].Subject, "evil.example") || strings.Contains(got[0].Text, "battery") {
		t.Errorf("%+v", got[0])
	}
	s.As("olga").Do("PATCH /realm", "default_language", "de").OK()
	create("german@example.org", "Friedrich").OK()
	if got := sent(); len(got) != 1 || !strings.Contains(got[0].Subject, "Willkommen bei Stoics") ||
		!strings.Contains(got[0].Text, "Hallo,") {
		t.Errorf("not in German: %+v", got)
	}
	create("refused@example.org", "Refused").Error(400, "BAD_REQUEST", "refused")
	create("eve@example.org", "Eve").Error(400, "BAD_REQUEST", "already in use")
	s.As("alice").Do("POST /users", "email", "x@example.org", "full_name", "X", "password", "battery horse").Error(400,
		"UNAUTHORIZED_PRINCIPAL", "")
	s.Do(func(ctx context.Context) error {
		_, err := s.Ports.Accounts.Create(ctx, s.Actor("alice"),
			ports.NewUser{Email: "x-bot@example.org", FullName: "X", Role: user.Member, BotType: user.GenericBot,
				BotOwner: s.UserID("alice")})
		return err
	})
	if got := sent(); len(got) != 0 {
		t.Errorf("no user joined, but %+v", got)
	}

	id := create("gone@example.org", "Gone").OK().Int("user_id")
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", id)).OK()
	s.As("olga").Do("PATCH /realm", "send_welcome_emails", "false").OK()
	create("quiet@example.org", "Quiet").OK()
	s.As("olga").Do("PATCH /realm", "send_welcome_emails", "true").OK()
	if got := sent(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	create("late@example.org", "Late").OK()
	s.As("olga").Do("PATCH /realm", "send_welcome_emails", "false").OK()
	if got := sent(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
