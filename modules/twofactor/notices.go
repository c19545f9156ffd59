package twofactor

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
)

// change is a change of a user's second factors, of which an email informs them.
type change string

// The changes.
const (
	appAdded    change = "app added"
	appRemoved  change = "app removed"
	codesIssued change = "recovery codes issued"
	wasReset    change = "reset"
	keyAdded    change = "passkey added"
	keyRemoved  change = "passkey removed"
)

// actions are the changes in the audit log, with the factor.
var actions = map[change]struct {
	action audit.Action
	factor string
}{
	appAdded:    {audit.SecondFactorAdded, app},
	appRemoved:  {audit.SecondFactorRemoved, app},
	codesIssued: {audit.SecondFactorAdded, recovery},
	wasReset:    {audit.SecondFactorReset, ""},
	keyAdded:    {audit.SecondFactorAdded, key},
	keyRemoved:  {audit.SecondFactorRemoved, key},
}

// letterKind identifies the module's emails in the outbox.
const letterKind = "twofactor"

// keepNotices is how long notices are stored: longer than any email remains queued.
const keepNotices = 30 * 24 * time.Hour

// changed records a change in the audit log, and informs the user. It must be called inside Do.
func (s *service) changed(ctx context.Context, by user.Actor, u user.ID, what change) error {
	if err := s.Audit.Record(ctx, fact(by, actions[what].action, u, actions[what].factor)); err != nil {
		return err
	}
	if s.Outbox == nil {
		return nil
	}
	n := &notice{RealmID: by.Realm, UserID: u, Kind: what, CreatedAt: s.Clock.Now().Unix()}
	if err := s.rows.AddNotice(ctx, n); err != nil {
		return err
	}
	return s.Outbox.Post(ctx, by.Realm, mail.Letter{Kind: letterKind, Ref: n.ID})
}

// write answers mail.Composition.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind {
		return nil, nil
	}
	n, err := s.rows.Notice(ctx, q.Letter.Ref)
	if err != nil || n == nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, n.RealmID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u := v.User(n.UserID)
	if v.Realm() == nil || u == nil || !u.Active {
		return nil, nil
	}
	l := language.Choose(u.Settings.DefaultLanguage, v.Realm().Settings.DefaultLanguage)
	name := mail.Name(v.Realm().Settings.Name)
	if name == "" {
		name = l.T("an organization")
	}
	return &mail.Message{
		To: u.DeliveryEmail, Subject: mail.Line(l.T("Your second factor at %s has changed", name)),
		Text: l.T("Hello,") + "\n\n" + text(l, n.Kind) + "\n\n" +
			l.T("If this was not you, change your password, and tell an administrator.") + "\n",
	}, nil
}

// text says what has changed.
func text(l *language.Language, what change) string {
	switch what {
	case appRemoved:
		return l.T("your authenticator app has been removed. You are logged out in all other browsers.")
	case codesIssued:
		return l.T("you have new recovery codes. The earlier ones no longer work.")
	case keyAdded:
		return l.T("a passkey has been added. You can log in with it.")
	case keyRemoved:
		return l.T("a passkey has been removed. You are logged out in all other browsers.")
	case wasReset:
		return l.T("an administrator has removed your second factor. You are logged out everywhere.")
	}
	return l.T("an authenticator app has been set up. Logins now need a code that it shows.")
}
