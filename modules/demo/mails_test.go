package demo_test

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/demo"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/welcomemails"
	"github.com/stoachat/stoa/ports"
)

// Demo users get no email, because their addresses may exist.
func TestNoMailToDemoUsers(t *testing.T) {
	f := &mailtest.Fake{}
	s := kittest.StartWith(t, kittest.Options{Config: "http: {url: http://127.0.0.1:9991}\nmodules: {realm: {domain: " +
		"127.0.0.1}}"},
		append(required, demo.Module, mail.Module, f.Module(), welcomemails.Module)...)
	ctx := t.Context()
	var id domainrealm.ID
	s.Do(func(ctx context.Context) (err error) {
		id, err = s.Ports.Realms.Create(ctx, "Zulip Dev", "zulipdev")
		return err
	})
	owner, err := s.Ports.Accounts.Create(ctx, user.Actor{Realm: id, System: true},
		ports.NewUser{Email: "desdemona@zulip.com", FullName: "Desdemona", Role: user.Owner})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ports.Demo.Fill(ctx, id); err != nil {
		t.Fatal(err)
	}
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 0 {
		t.Errorf("%d mails, first %+v", len(got), got[0])
	}
	by := user.Actor{Realm: id, User: owner, Role: user.Owner}
	if _, err := s.Ports.Accounts.Create(ctx, by,
		ports.NewUser{Email: "eve@example.com", FullName: "Eve", Role: user.Member}); err != nil {
		t.Fatal(err)
	}
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 1 || got[0].To != "eve@example.com" {
		t.Errorf("mail to a later user: %+v", got)
	}
}
