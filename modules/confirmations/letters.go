package confirmations

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit/page"
)

// letterKind identifies the module's emails in the outbox.
const letterKind = "confirmations"

// write composes the email of a confirmation that is still valid.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind {
		return nil, nil
	}
	c, err := s.store.Get(ctx, confirmation.ID(q.Letter.Ref))
	if err != nil || c == nil || c.Kind != confirmation.Notice && !c.Pending(s.Clock.Now()) {
		return nil, err
	}
	v, err := s.Directory.View(ctx, c.Realm)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return nil, nil
	}
	l := letter{v: v, c: c, Language: languageOf(v, c)}
	if l.site, err = page.Address(ctx, s.Site, s.Realms, v.Realm()); err != nil {
		return nil, err
	}
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return nil, err
	}
	l.url = link(secret, l.site, c)
	if subject, body := l.text(); body != "" {
		return &mail.Message{To: c.Email, Subject: mail.Line(subject), Text: body}, nil
	}
	return nil, nil
}

// languageOf returns the recipient's language. A password reset stores only an email address, so its recipient is
// looked up.
func languageOf(v *directory.View, c *confirmation.Confirmation) *language.Language {
	u := v.User(c.User)
	if c.Kind == confirmation.Password {
		u = userByEmail(v, c.Email)
	}
	if u == nil {
		return language.Choose(v.Realm().Settings.DefaultLanguage)
	}
	return language.Choose(u.Settings.DefaultLanguage, v.Realm().Settings.DefaultLanguage)
}

// letter holds the data for an email.
type letter struct {
	*language.Language

	v         *directory.View
	c         *confirmation.Confirmation
	site, url string
}

// text returns the email's subject and body. Both are empty if the recipient does not exist or is deactivated.
func (l letter) text() (subject, body string) {
	name := mail.Name(l.v.Realm().Settings.Name)
	if name == "" {
		name = l.T("an organization")
	}
	u := l.v.User(l.c.User)
	if l.c.Kind == confirmation.Password {
		u = userByEmail(l.v, l.c.Email)
	}
	if u == nil || !u.Active {
		return "", ""
	}
	switch {
	case l.c.Kind == confirmation.Password && l.c.User != 0: // which nobody has requested
		return l.T("Your account in %s", name), l.linked(
			l.T("the conversations of your team have moved to %s, at %s, where you have an account with this address.",
				name, l.site),
			l.T("To choose a password, open this link:"),
		)
	case l.c.Kind == confirmation.Password:
		return l.T("New password for %s", name), l.linked(
			l.T(
				"someone, probably you, asked to reset the password of the account with this address in %s, at %s.",
				name,
				l.site,
			),
			l.T("To set a new password, open this link:"),
		)
	case l.c.Kind == confirmation.Notice:
		return l.T("Your email address in %s", name), l.paragraphs(
			l.T(
				"the email address of your account in %s, at %s, has been changed. This address will no longer receive emails "+
					"about it.",
				name,
				l.site,
			),
			l.T("If this was not you and nobody told you about it, contact an administrator immediately."),
		)
	case addressTaken(l.v, l.c):
		return l.T("Your email address in %s", name), l.paragraphs(
			l.T(
				"someone, probably you, wants to use this address for their account in %s, at %s. There is already an account "+
					"with this address.",
				name,
				l.site,
			),
			l.T(ignore),
		)
	}
	return l.T("Your email address in %s", name), l.linked(
		l.T("someone, probably you, wants to use this address for their account in %s, at %s.", name, l.site),
		l.T("If this was you, open this link to confirm the address:"))
}

const ignore = "If you were not expecting this email, you can ignore it."

// linked returns an email body with the given lines, the link, its expiry time, and advice to ignore unexpected emails.
func (l letter) linked(lines ...string) string {
	until := l.T("The link can be used once, until %s.", l.Date(l.c.Expires.UTC()))
	return l.paragraphs(append(lines, l.url, until, l.T(ignore))...)
}

func (l letter) paragraphs(lines ...string) string {
	return l.T("Hello,") + "\n\n" + strings.Join(lines, "\n\n") + "\n"
}
