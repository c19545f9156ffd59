package identities

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

// Finish logs in the person whom a provider has identified; see ports.Identities.
func (s *service) Finish(
	w http.ResponseWriter, r *http.Request, p signin.Provider, started signin.Started, id signin.Identity,
) {
	c, err := s.finish(r, p, started, id)
	var refused *signin.RefusalError
	if errors.As(err, &refused) {
		s.refuse(w, r, p, id, refused, nil)
		return
	}
	c.Provider = p.Name
	s.answer(w, r, c, err)
}

func (s *service) finish(
	r *http.Request, p signin.Provider, started signin.Started, id signin.Identity,
) (content, error) {
	_, by, err := s.visit(r)
	if err != nil {
		return content{}, err
	}
	if err := checked(&id); err != nil {
		return content{}, err
	}
	var c content
	err = s.Work.Do(r.Context(), func(ctx context.Context) error {
		c, err = s.decide(ctx, r, by, p, started, id)
		return err
	})
	return c, err
}

// checked removes an address that is none. Errors: a refusal of a subject that is none.
func checked(id *signin.Identity) error {
	if !signin.ValidSubject(id.Subject) {
		return &signin.RefusalError{Why: signin.BadAnswer}
	}
	var err error
	if id.Email, err = user.CheckEmail(id.Email); err != nil {
		id.Email, id.Verified = "", false
	}
	return nil
}

// decide does what signin.Decide says. It must be called inside Do.
func (s *service) decide(
	ctx context.Context, r *http.Request, by user.Actor, p signin.Provider, started signin.Started, id signin.Identity,
) (content, error) {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return content{}, err
	}
	known, standing, err := s.standing(ctx, v, by, p, started, id)
	if err != nil {
		return content{}, err
	}
	verdict, u, why := signin.Decide(p, id, standing)
	if verdict == signin.Prove {
		return s.ask(ctx, by, p, started, id, u)
	}
	if s.mails(id, started, verdict, why) {
		return s.mailCode(ctx, r, by, p, started, id)
	}
	if u, err = s.act(ctx, by, p, id, verdict, u, why, known); err != nil {
		return content{}, err
	}
	if err := s.followed(ctx, by, u, p, id); err != nil {
		return content{}, err
	}
	if started.Intent == signin.Connect {
		return content{Finished: page.Open(started.Flow.Next)}, nil
	}
	return s.enter(ctx, r, by, u, p, started.Flow, id)
}

// act connects or creates an account as a verdict says, and returns the account.
func (s *service) act(
	ctx context.Context, by user.Actor, p signin.Provider, id signin.Identity, verdict signin.Verdict, u *user.User,
	why signin.Reason, known *identity,
) (*user.User, error) {
	var err error
	switch verdict {
	case signin.Enter:
		return u, s.rows.Used(ctx, known.ID, s.Clock.Now())
	case signin.Create:
		if u, err = s.create(ctx, by, id); err != nil {
			return nil, err
		}
		return u, s.connect(ctx, by, u, p, id)
	case signin.Adopt:
		return u, s.connect(ctx, by, u, p, id)
	}
	return nil, &signin.RefusalError{Why: why, On: u}
}

// followed does what follow does, on the present view, which contains a new account.
func (s *service) followed(
	ctx context.Context, by user.Actor, u *user.User, p signin.Provider, id signin.Identity,
) error {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	return s.follow(ctx, v, v.User(u.ID), p, id)
}

// standing returns what the organization knows about an identity, and its connection, or nil.
func (s *service) standing(
	ctx context.Context, v *directory.View, by user.Actor, p signin.Provider, started signin.Started, id signin.Identity,
) (*identity, signin.Standing, error) {
	at := signin.Standing{Open: !v.Realm().Settings.InviteRequired}
	var known *identity
	var err error
	if !p.ByAddress {
		if known, err = s.rows.BySubject(ctx, by.Realm, p.ID, id.Subject); err != nil {
			return nil, at, err
		}
	}
	if known != nil {
		at.Owner = v.User(known.UserID)
	}
	if started.Intent == signin.Connect {
		if by.User == 0 || by.User != started.User || v.User(by.User) == nil {
			return nil, at, &signin.RefusalError{Why: signin.BadFlow}
		}
		at.Caller = v.User(by.User)
		at.Mine, err = s.connected(ctx, by.User, p)
		return known, at, err
	}
	if known != nil || id.Email == "" {
		return known, at, nil
	}
	if at.Account = v.UserByEmail(id.Email); at.Account == nil {
		return nil, at, nil
	}
	if at.Connected, err = s.connected(ctx, at.Account.ID, p); err != nil {
		return nil, at, err
	}
	at.Protected, _, err = s.HasPassword.Ask(ctx, user.HasPassword{Realm: by.Realm, User: at.Account.ID})
	return nil, at, err
}

// connected reports whether a user has an identity of a provider.
func (s *service) connected(ctx context.Context, u user.ID, p signin.Provider) (bool, error) {
	all, err := s.rows.Of(ctx, u)
	for _, one := range all {
		if one.Provider == p.ID {
			return true, err
		}
	}
	return false, err
}

// connect connects an account to an identity, unless the provider identifies people by address.
func (s *service) connect(
	ctx context.Context, by user.Actor, u *user.User, p signin.Provider, id signin.Identity,
) error {
	if p.ByAddress {
		return nil
	}
	now := s.Clock.Now()
	err := s.rows.Add(ctx, &identity{
		RealmID: by.Realm, UserID: u.ID, Provider: p.ID, Subject: id.Subject, Email: id.Email, CreatedAt: now, UsedAt: now,
	})
	if err != nil {
		return err
	}
	return s.Audit.Record(ctx, fact(by, audit.IdentityConnected, u, p.ID, id.Subject))
}

// fact describes an action with an identity. The audit log contains a hash of the subject, which is often an address.
func fact(by user.Actor, a audit.Action, u *user.User, provider, subject string) audit.Fact {
	f := audit.Fact{
		Realm: by.Realm, Action: a, Target: audit.Target{Kind: audit.User}, By: &by,
		New: audit.Values{"provider": provider},
	}
	if subject != "" {
		f.New["subject"] = session.Hash(subject)[:16]
	}
	if u != nil {
		f.Target = audit.To(audit.User, u.ID)
	}
	return f
}

// enter logs the user in: with a session of the browser, or in the app that is waiting.
func (s *service) enter(
	ctx context.Context, r *http.Request, by user.Actor, u *user.User, p signin.Provider, to signin.Flow,
	id signin.Identity,
) (content, error) {
	if by.Session != 0 {
		if err := s.SignIns.End(ctx, by.Realm, by.Session); err != nil {
			return content{}, err
		}
	}
	by.User, by.Role, by.Session = u.ID, u.Role, 0
	if err := s.Audit.Record(ctx, fact(by, audit.IdentityUsed, u, p.ID, id.Subject)); err != nil {
		return content{}, err
	}
	from, err := json.Marshal(origin{p.ID, id.Subject, id.Session})
	if err != nil {
		return content{}, err
	}
	to.Origin, to.SecondFactor, to.Ends = originPrefix+string(from), id.SecondFactor, id.Ends
	out, err := s.SignIns.Finish(ctx, by, u.ID, to)
	if err != nil {
		return content{}, err
	}
	return content{Finished: page.Finish(r, out, to)}, nil
}

// origin says where a login comes from, as signin.Flow.Origin after a prefix.
type origin struct{ Provider, Subject, SID string }

const originPrefix = "identity "

// sessionBegun is the hook that remembers the sessions that a provider can end, also those that began after a second
// factor.
func (s *service) sessionBegun(ctx context.Context, m *user.SessionBegun) error {
	text, ok := strings.CutPrefix(m.Origin, originPrefix)
	if !ok {
		return nil
	}
	var from origin
	if err := json.Unmarshal([]byte(text), &from); err != nil {
		return err
	}
	return s.rows.AddSession(ctx, &begun{
		SessionID: m.Session, RealmID: m.Realm, UserID: m.User, Provider: from.Provider, Subject: from.Subject,
		SID: from.SID,
	})
}

// pending is what a flow keeps until the person has proven that the account is theirs.
type pending struct {
	Provider signin.Provider
	Identity signin.Identity
	Mailed   bool // by the code that was mailed to the address; otherwise by the account's password
}

// ask keeps what a provider has verified until the person has entered the account's password.
func (s *service) ask(
	ctx context.Context, by user.Actor, p signin.Provider, started signin.Started, id signin.Identity, u *user.User,
) (content, error) {
	verified, err := json.Marshal(pending{Provider: p, Identity: id})
	if err != nil {
		return content{}, err
	}
	state := newSecret()
	to := started.Flow
	return content{Form: true, State: state, Email: u.DeliveryEmail}, s.rows.AddFlow(ctx, &flow{
		Hash: session.Hash(state), RealmID: by.Realm, UserID: u.ID, Provider: p.ID, Intent: started.Intent,
		Browser: session.Hash(started.Browser), Next: to.Next,
		Mobile: hex.EncodeToString(to.Mobile), Desktop: hex.EncodeToString(to.Desktop),
		Identity: string(verified), EndsAt: s.end(to),
	})
}

// Refuse says that a person could not log in; see ports.Identities.
func (s *service) Refuse(
	w http.ResponseWriter, r *http.Request, p signin.Provider, why signin.Reason, cause error,
) {
	s.refuse(w, r, p, signin.Identity{}, &signin.RefusalError{Why: why}, cause)
}

func (s *service) refuse(
	w http.ResponseWriter, r *http.Request, p signin.Provider, id signin.Identity, why *signin.RefusalError, cause error,
) {
	v, by, err := s.visit(r)
	if err != nil {
		s.answer(w, r, content{Provider: p.Name}, err)
		return
	}
	f := fact(by, audit.IdentityRefused, why.On, p.ID, id.Subject)
	f.Refused, f.New["reason"] = true, string(why.Why)
	s.Logger.InfoContext(r.Context(), "a login at an identity provider was refused", "provider", p.ID,
		"reason", string(why.Why), "error", cause)
	if err := s.Audit.Record(r.Context(), f); err != nil {
		s.answer(w, r, content{Provider: p.Name}, err)
		return
	}
	s.answer(w, r, content{Provider: p.Name, Realm: v.Realm().Settings.Name}, message(p, v.Realm(), why.Why))
}

// message returns what a person who was refused reads. It says nothing about accounts but what the owner of a verified
// address may know.
func message(p signin.Provider, r *realm.Realm, why signin.Reason) error {
	switch why {
	case signin.Unreachable:
		return errs.New(errs.Unavailable, "%s does not respond. Please try again later, or log in in another way.", p.Name)
	case signin.Denied:
		return errs.Bad("The login at %s was canceled.", p.Name)
	case signin.Unverified, signin.NoAddress:
		return errs.Bad("%s does not confirm your email address. Log in with your password, and connect %s in your "+
			"settings.", p.Name, p.Name)
	case signin.NoAccount:
		return errs.Bad("You don't have an account in %s yet. Ask a member for an invitation.", r.Settings.Name)
	case signin.Protected:
		return errs.Bad("Your account has a password of its own. Log in with that.")
	case signin.Taken:
		return errs.Bad("This account at %s is connected to another account here.", p.Name)
	}
	return errs.Bad("You can't log in with %s. Ask an administrator of %s.", p.Name, r.Settings.Name)
}

// stillLoggedIn answers signin.StillLoggedIn.
func (s *service) stillLoggedIn(ctx context.Context, q signin.StillLoggedIn) (signin.Elsewhere, error) {
	from, err := s.rows.Begun(ctx, q.Realm, q.Session)
	if err != nil || from.Provider == "" {
		return signin.Elsewhere{}, err
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return signin.Elsewhere{}, err
	}
	address, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if err != nil {
		return signin.Elsewhere{}, err
	}
	pages, err := s.LogoutPages.Ask(ctx, signin.LogoutPage{
		Provider: from.Provider, Subject: from.Subject, Address: address, Return: address + "/login/",
	})
	for _, p := range pages {
		if p.URL != "" {
			return p, err
		}
	}
	return signin.Elsewhere{}, err
}

// sessionsEnded is the hook that forgets sessions that have ended, however they have.
func (s *service) sessionsEnded(ctx context.Context, m *directory.Changed) error {
	var over []session.ID
	for _, c := range m.Changes {
		if c.Session != nil && c.Session.New == nil {
			over = append(over, c.Session.Old.ID)
		}
		if c.Sessions != nil {
			return s.rows.ForgetSessionsIn(ctx, m.Realm)
		}
	}
	if over == nil {
		return nil
	}
	return s.rows.ForgetSessions(ctx, over)
}

// profileDeleted is the hook that forgets the identities of a deleted user.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.Remove(ctx, m.User.ID, 0)
}
