package confirmations

import (
	"context"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit/page"
)

// letterKind is the kind of the module's emails.
const letterKind = "confirmations"

// write composes the email of a confirmation, if it is still valid.
func (s *service) write(ctx context.Context, w *mail.Writing) error {
	if w.Letter.Kind != letterKind {
		return nil
	}
	c, err := s.store.Get(ctx, confirmation.ID(w.Letter.Ref))
	if err != nil || c == nil || c.Kind != confirmation.Notice && !c.Pending(s.Clock.Now()) {
		return err
	}
	v, err := s.Directory.View(ctx, c.Realm)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return nil
	}
	l := letter{v: v, c: c}
	if l.site, err = page.Address(ctx, s.Site, s.Realms, v.Realm()); err != nil {
		return err
	}
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return err
	}
	l.url = link(secret, l.site, c)
	if subject, body := l.text(); body != "" {
		w.Message = &mail.Message{To: c.Email, Subject: mail.Line(subject), Text: body}
	}
	return nil
}

// letter holds the data of an email.
type letter struct {
	v         *directory.View
	c         *confirmation.Confirmation
	site, url string
}

// text returns the subject and the text; both are empty if there is no receiver.
func (l letter) text() (subject, body string) {
	name := mail.Name(l.v.Realm().Settings.Name)
	if name == "" {
		name = "an organization"
	}
	u := l.v.User(l.c.User)
	if l.c.Kind == confirmation.Password {
		u = whose(l.v, l.c.Email)
	}
	if u == nil || !u.Active {
		return "", ""
	}
	switch {
	case l.c.Kind == confirmation.Password:
		return "New password for " + name, l.linked(
			fmt.Sprintf(
				"somebody, probably you, has forgotten the password of the account with this address in %s, at %s.",
				name,
				l.site,
			),
			"To set a new one, open this address:",
		)
	case l.c.Kind == confirmation.Notice:
		return "Your address in " + name, paragraphs(
			fmt.Sprintf(
				"the address of your account in %s, at %s, is another one now. No more mails about it come to this one.",
				name,
				l.site,
			),
			"If this was not you, and nobody has told you of it, tell an administrator at once.",
		)
	case taken(l.v, l.c):
		return "Your address in " + name, paragraphs(
			fmt.Sprintf(
				"somebody, probably you, wants to have this address for their account in %s, at %s. There is an account with it "+
					"already.",
				name,
				l.site,
			),
			ignore,
		)
	}
	return "Your address in " + name, l.linked(
		fmt.Sprintf("somebody, probably you, wants to have this address for their account in %s, at %s.", name, l.site),
		"If it was you, open this address to confirm it:")
}

const ignore = "If you don't know what this is about, you need not do anything."

// linked returns a text with the link.
func (l letter) linked(lines ...string) string {
	until := fmt.Sprintf("It works once, until %s.", l.c.Expires.UTC().Format("2 January 2006, 15:04 MST"))
	return paragraphs(append(lines, l.url, until, ignore)...)
}

func paragraphs(lines ...string) string {
	return "Hello,\n\n" + strings.Join(lines, "\n\n") + "\n"
}
