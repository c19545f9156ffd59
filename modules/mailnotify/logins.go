package mailnotify

import (
	"context"
	_ "embed"
	"html/template"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/excerpt"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed login.txt
var loginText string

//go:embed login.html
var loginHTML string

var (
	loginTextTemplate = texttemplate.Must(texttemplate.New("login.txt").Parse(loginText))
	loginHTMLTemplate = template.Must(template.New("login.html").Parse(loginHTML))
)

const (
	loginKind   = "logins"
	newAccount  = time.Hour            // account age below which logins are not reported
	keepDevices = 400 * 24 * time.Hour // how long a device is remembered after the last login
)

func (s *service) sessionBegun(ctx context.Context, e *user.SessionBegun) error {
	return s.loggedIn(ctx, e.By, e.User)
}

func (s *service) keyIssued(ctx context.Context, e *user.KeyIssued) error {
	return s.loggedIn(ctx, e.By, e.User)
}

// loggedIn posts an email about a login from a program or network that is new for the user.
func (s *service) loggedIn(ctx context.Context, by user.Actor, id user.ID) error {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	u := v.User(id)
	if by.System || u == nil || u.IsBot() {
		return nil
	}
	secret, err := s.secrets.Secret(ctx)
	if err != nil {
		return err
	}
	now, program := s.Clock.Now(), session.Program(by.Agent)
	known, err := s.store.RecordDevice(ctx, loginDevice{
		UserID: id, Device: secret.Source(program + " in " + session.Network(by.From)), RealmID: by.Realm, SeenAt: now,
	})
	if err != nil || known || !u.Settings.EnableLoginEmails || now.Sub(u.Joined) < newAccount {
		return err
	}
	ref, err := s.store.NewLogin(ctx, loginNotice{
		RealmID: by.Realm, UserID: id, Program: program, Address: by.From, CreatedAt: now,
	})
	if err != nil {
		return err
	}
	return s.Outbox.Post(ctx, by.Realm, mail.Letter{Kind: loginKind, Ref: ref})
}

// login holds the content of an email about a login.
type login struct {
	page.Words

	Realm, Site, Email, Program, Address, Time, Unsubscribe string
}

// writeLogin composes an email about a login.
func (s *service) writeLogin(ctx context.Context, v *directory.View, ref int64) (*mail.Message, error) {
	n, err := s.store.Login(ctx, ref)
	if err != nil || n == nil {
		return nil, err
	}
	u := v.User(n.UserID)
	if u == nil || !u.Active || !u.Settings.EnableLoginEmails {
		return nil, nil
	}
	site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if err != nil {
		return nil, err
	}
	out := login{
		Words: wordsFor(v, u),
		Realm: mail.Name(v.Realm().Settings.Name), Site: site, Email: u.DeliveryEmail, Program: n.Program, Address: n.Address,
		Time: wordsFor(v, u).Date(n.CreatedAt.In(excerpt.Zone(u))),
	}
	if out.Unsubscribe, err = s.unsubscribeLink(ctx, site, "login", u.ID); err != nil {
		return nil, err
	}
	var text, html strings.Builder
	if err := loginTextTemplate.Execute(&text, out); err != nil {
		return nil, err
	}
	if err := loginHTMLTemplate.Execute(&html, out); err != nil {
		return nil, err
	}
	return &mail.Message{
		To: u.DeliveryEmail, Subject: truncate(mail.Line(out.T("New login to %s from %s", out.Realm, n.Program))),
		Text: mail.Body(text.String()) + "\n", HTML: mail.Body(html.String()), Unsubscribe: out.Unsubscribe,
	}, nil
}
