package invites

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit/page"
)

// letterKind identifies the module's emails in the outbox.
const letterKind = "invites"

func letter(i *invite.Invite) mail.Letter { return mail.Letter{Kind: letterKind, Ref: int64(i.ID)} }

// These are the paths of the pages.
const (
	linkPath = "/join"
	mailPath = "/accounts/do_confirm"
	openPath = "/register"
)

func linkURL(base, key string) string { return base + linkPath + "/" + key + "/" }
func mailURL(base, key string) string { return base + mailPath + "/" + key }

// site returns the URL of a realm, or "" if http.url is not configured.
func (s *service) site(ctx context.Context, r *realm.Realm) (string, error) {
	return page.Address(ctx, s.Site, s.Realms, r)
}

// composeEmail composes the email for an invitation or confirmation. If that is no longer valid, no email is sent.
func (s *service) composeEmail(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind {
		return nil, nil
	}
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.store.Get(ctx, invite.ID(q.Letter.Ref))
	if err != nil || i == nil || !i.Pending(s.Clock.Now()) {
		return nil, err
	}
	v, err := s.Directory.View(ctx, i.Realm)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if v.Realm() == nil || v.Realm().Deactivated || !canInvite(v, i) {
		return nil, nil
	}
	site, err := s.site(ctx, v.Realm())
	if err != nil {
		return nil, err
	}
	l := emailText{
		Language: language.Choose(v.Realm().Settings.DefaultLanguage), v: v, i: i, site: site,
		url: mailURL(site, secret.Key(i)),
	}
	if site == "" { // without http.url, emails are only logged
		l.site = l.T("this server")
	}
	return &mail.Message{To: i.Email, Subject: l.subject(), Text: l.body()}, nil
}

// emailText composes the text of an email. The names in it may have been chosen by attackers, so they go through
// mail.Name.
type emailText struct {
	*language.Language

	v         *directory.View
	i         *invite.Invite
	site, url string
}

func (t emailText) realm() string {
	if name := mail.Name(t.v.Realm().Settings.Name); name != "" {
		return name
	}
	return t.T("an organization")
}

func (t emailText) inviter() string {
	if name := mail.Name(t.v.User(t.i.Inviter).FullName); name != "" {
		return name
	}
	return t.T("Someone")
}

func (t emailText) subject() string {
	if t.i.Kind == invite.ByMail {
		return mail.Line(t.T("%s invites you to join %s", t.inviter(), t.realm()))
	}
	return mail.Line(t.T("Joining %s", t.realm()))
}

func (t emailText) body() string {
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n\n") }
	line(t.T("Hello,"))
	known := t.v.UserByEmail(t.i.Email) != nil
	switch {
	case t.i.Kind == invite.ByMail:
		line(t.T("%s invites you to join %s at %s.", t.inviter(), t.realm(), t.site))
	case known:
		line(t.T(
			"someone, probably you, wants to join %s with this address. There is already an account with it: log in at %s.",
			t.realm(), t.site,
		))
	default:
		line(t.T("someone, probably you, wants to join %s, at %s, with this address.", t.realm(), t.site))
	}
	if !known {
		line(t.T("To join, open this link:"))
		line(t.url)
		if !t.i.Expires.IsZero() {
			line(t.T("The link can be used once, until %s.", t.Date(t.i.Expires.UTC())))
		} else {
			line(t.T("The link can be used once."))
		}
	}
	line(t.T("If you were not expecting this email, you can ignore it."))
	return strings.TrimRight(b.String(), "\n") + "\n"
}
