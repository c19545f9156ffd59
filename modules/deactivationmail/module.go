package deactivationmail

import (
	"context"
	"embed"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module informs users of their deactivation.
var Module = kit.Define(
	"deactivationmail",
	"Informs users by email that their accounts were deactivated.",
	kit.None{},
	wire,
).Formerly("farewells")

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Clock     ports.Clock
	Outbox    ports.Outbox
}

type service struct {
	needs
	rows store
}

func wire(_ kit.None, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Tables:     []kit.Table{kit.NotExported[row]("emails waiting to be sent").OnRestore(kit.Outgoing)},
		Migrations: migrations,
		Hooks: []kit.Hook{
			kit.On(s.deactivated).Order(-10), // must precede hooks that lock the realm
			kit.On(s.reactivated),
		},
		Answers: []kit.Answer{kit.Answers(s.write)},
		Jobs: []kit.Job{
			{Name: "forget_deactivation_mails", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}, nil
}

// letterKind identifies the module's emails in the outbox.
const letterKind = "deactivationmail"

// deactivated queues the email in the transaction that deactivates the account.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	if m.Comment == nil {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if u := v.User(m.User); u == nil || u.IsBot() {
		return nil
	}
	r := &row{RealmID: m.Realm, UserID: m.User, Comment: mail.Body(*m.Comment), CreatedAt: s.Clock.Now()}
	if err := s.rows.Add(ctx, r); err != nil {
		return err
	}
	return s.Outbox.Post(ctx, m.Realm, mail.Letter{Kind: letterKind, Ref: r.ID})
}

// reactivated deletes emails that have not been sent yet.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.rows.Drop(ctx, m.User)
}

// write composes the email, unless the user has been reactivated.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind && q.Letter.Kind != "farewells" { // the name in earlier versions
		return nil, nil
	}
	r, err := s.rows.Get(ctx, q.Letter.Ref)
	if err != nil || r == nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, r.RealmID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u := v.User(r.UserID)
	if v.Realm() == nil || u == nil || u.Active {
		return nil, nil
	}
	l := language.Choose(u.Settings.DefaultLanguage, v.Realm().Settings.DefaultLanguage)
	name := realmName(l, v.Realm().Settings.Name)
	return &mail.Message{
		To: u.DeliveryEmail, Subject: mail.Line(l.T("Your account at %s has been deactivated", name)),
		Text: text(l, name, r.Comment),
	}, nil
}

func realmName(l *language.Language, name string) string {
	if name = mail.Name(name); name != "" {
		return name
	}
	return l.T("an organization")
}

func text(l *language.Language, realm, comment string) string {
	parts := []string{
		l.T("Hello,"), l.T("an administrator of %s has deactivated your account there. You can no longer log in with it.",
			realm),
	}
	if comment != "" {
		parts = append(parts, l.T("Message from the administrator:"), comment)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// retention is how long rows are stored: longer than any email remains queued.
const retention = 30 * 24 * time.Hour

// forget deletes old rows.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.DropBefore(ctx, s.Clock.Now().Add(-retention)) })
}
