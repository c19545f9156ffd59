package welcomemails

import (
	"context"
	"errors"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module sends welcome emails.
var Module = kit.Define("welcomemails", "Sends a welcome email to new users.", Config{}, wire)

// Config has no settings: each realm decides whether the emails are sent.
type Config struct{}

type needs struct {
	fx.In
	Directory ports.Directory
	Site      ports.Site
	Realms    ports.Realms
	Outbox    ports.Outbox
}

type service struct{ needs }

// letterKind identifies the module's emails in the outbox; Ref is a user's ID.
const letterKind = "welcomemails"

func wire(_ Config, n needs) (kit.Parts, error) {
	if n.Outbox.Delivers() && n.Site.URL() == "" {
		return kit.Parts{}, errors.New("modules.welcomemails: welcome emails contain the server's address and need " +
			"http.url; set it to the address where people reach this server, such as https://chat.example.com")
	}
	s := &service{n}
	return kit.Parts{Hooks: []kit.Hook{kit.On(s.joined)}, Answers: []kit.Answer{kit.Answers(s.write)}}, nil
}

// joined queues an email to a new user in the transaction that creates the account.
func (s *service) joined(ctx context.Context, m *user.Joined) error {
	if m.By.System || m.User.IsBot() || !s.Outbox.Delivers() {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil || !v.Realm().Settings.SendWelcomeEmails {
		return err
	}
	return s.Outbox.Post(ctx, m.Realm, mail.Letter{Kind: letterKind, Ref: int64(m.User.ID)})
}

// write composes the email, unless the account has been deactivated or the realm has disabled the emails.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, u := v.Realm(), v.User(user.ID(q.Letter.Ref))
	if r == nil || r.Deactivated || !r.Settings.SendWelcomeEmails || u == nil || !u.Active {
		return nil, nil
	}
	site, err := page.Address(ctx, s.Site, s.Realms, r)
	if err != nil {
		return nil, err
	}
	l := language.Choose(u.Settings.DefaultLanguage, r.Settings.DefaultLanguage)
	name := mail.Name(r.Settings.Name)
	if name == "" {
		name = l.T("an organization")
	}
	return &mail.Message{To: u.DeliveryEmail, Subject: mail.Line(l.T("Welcome to %s", name)),
		Text: strings.Join([]string{
			l.T("Hello,"),
			l.T("you now have an account in %s. To log in, open an app and enter", name),
			"    " + l.T("%s    as the organization's address,", site) + "\n    " +
				l.T("%s    as your email address.", u.DeliveryEmail),
			l.T("If you were not expecting this email, someone may have created the account for you. You don't need to do " +
				"anything."),
		}, "\n\n") + "\n"}, nil
}
