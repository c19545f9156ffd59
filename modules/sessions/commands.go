package sessions

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about sessions.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("session list", s.commandList, "List the browsers in which people are logged in."),
		kit.Confirm(kit.NewCommand("session end", s.commandEnd, "Log browsers out."), s.wouldEnd),
		kit.NewCommand("user sessions", s.commandOfUser, "List the browsers in which a user is logged in."),
	}
}

// listedSession is a session in the output of session list.
type listedSession struct {
	ID      session.ID `json:"session_id"`
	UserID  user.ID    `json:"user_id"`
	Email   string     `json:"email"`
	Client  string     `json:"client"`
	Created time.Time  `json:"created"`
	Used    time.Time  `json:"last_used"` // up to a few minutes out of date
	Ends    time.Time  `json:"expires"`
}

func (s *service) commandList(ctx context.Context, a kit.Actor, in kit.Among) ([]listedSession, error) {
	v, of, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return nil, err
	}
	out, now := []listedSession{}, s.Clock.Now()
	add := func(one *row) {
		if one.session().Over(now) {
			return
		}
		x := listedSession{
			ID: one.ID, UserID: one.UserID, Client: one.Agent, Created: time.Unix(one.CreatedAt, 0).UTC(),
			Used: time.Unix(one.UsedAt, 0).UTC(), Ends: time.Unix(one.EndsAt, 0).UTC(),
		}
		if u := v.User(one.UserID); u != nil {
			x.Email = u.DeliveryEmail
		}
		out = append(out, x)
	}
	if of == nil {
		return out, s.rows.Each(ctx, a.Realm, add)
	}
	all, err := s.rows.Of(ctx, of.ID)
	for _, one := range all {
		add(one)
	}
	return out, err
}

func (s *service) commandOfUser(ctx context.Context, a kit.Actor, in kit.UserFlag) ([]listedSession, error) {
	return s.commandList(ctx, a, kit.Among(in))
}

type endFlags struct {
	ID    session.ID `arg:"" optional:"" help:"ID of the session: see stoa session list."`
	Email string     `placeholder:"ADDRESS" help:"End all sessions of this user."`
}

// Validate checks that sessions are selected in exactly one way.
func (f endFlags) Validate() error {
	if (f.ID == 0) == (f.Email == "") {
		return errs.New(errs.Missing, "select sessions by an ID or with --email")
	}
	return nil
}

// selected returns the selected sessions. Errors: one with Gone.
func (s *service) selected(ctx context.Context, a kit.Actor, in endFlags) ([]*row, error) {
	if in.Email != "" {
		_, u, err := kit.UserFlag{Email: in.Email}.Find(ctx, s.Directory, a.Realm)
		if err != nil {
			return nil, err
		}
		return s.rows.Of(ctx, u.ID)
	}
	all, err := s.rows.ByID(ctx, []session.ID{in.ID})
	if err == nil && (len(all) == 0 || all[0].RealmID != a.Realm) {
		err = errs.Absent("there is no session %d; see stoa session list", in.ID)
	}
	return all, err
}

func (s *service) wouldEnd(ctx context.Context, a kit.Actor, in endFlags) (kit.Effect, error) {
	all, err := s.selected(ctx, a, in)
	return kit.Effect{
		Text: fmt.Sprintf("end %d sessions", len(all)), Counts: map[string]int{"sessions": len(all)},
	}, err
}

// ended is the output of session end.
type ended struct {
	Sessions int `json:"sessions"`
}

func (e ended) String() string { return fmt.Sprintf("ended %d sessions", e.Sessions) }

func (s *service) commandEnd(ctx context.Context, a kit.Actor, in endFlags) (ended, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (ended, error) {
		if _, err := s.Directory.View(ctx, a.Realm); err != nil { // serializes changes in the realm
			return ended{}, err
		}
		all, err := s.selected(ctx, a, in)
		if err != nil {
			return ended{}, err
		}
		return ended{len(all)}, s.end(ctx, a.Realm, all)
	})
}
