package status

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// changeParams holds the parameters of a change. Omitted parameters leave the status unchanged.
type changeParams struct {
	Text      *string `json:"status_text"`
	EmojiName *string `json:"emoji_name"`
	EmojiCode *string `json:"emoji_code"`
	EmojiType *string `json:"reaction_type"`
	End       *int64  `json:"scheduled_end_time"`
}

func (p changeParams) change() status.Change { return status.Change(p) }

func errNoValues() error { return errs.Bad("Client did not pass any new values.") }

type setReq struct {
	changeParams
	Away *bool `json:"away"`
}

// set handles POST /users/me/status. Errors: BadRequest, Unauthorized.
func (s *service) set(ctx context.Context, a kit.Actor, in setReq) (kit.None, error) {
	if !in.change().Any() && in.Away == nil {
		return kit.None{}, errNoValues()
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if _, err := permission.Caller(v, a); err != nil {
			return err
		}
		if err := s.change(ctx, v, a.User, in.change()); err != nil || in.Away == nil {
			return err
		}
		return s.Settings.Set(ctx, a, a.User, "presence_enabled", !*in.Away)
	})
}

type setForReq struct {
	User user.ID `json:"user_id"`
	changeParams
}

// setFor handles POST /users/{user_id}/status. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) setFor(ctx context.Context, a kit.Actor, in setForReq) (kit.None, error) {
	if !in.change().Any() {
		return kit.None{}, errNoValues()
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, a, user.Admin); err != nil {
			return err
		}
		switch u := v.User(in.User); {
		case u == nil || u.System:
			return errs.Bad("No such user")
		case u.IsBot():
			return errs.Bad("Bots have no status.")
		case !u.Active:
			return errs.Bad("User is deactivated")
		}
		err = s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.UserProfileChanged, Target: audit.To(audit.User, in.User),
			New: audit.Values{"status": true},
		})
		if err != nil {
			return err
		}
		return s.change(ctx, v, in.User, in.change())
	})
}

// payload is a change of one user's status, or a list of users that the receivers have gained access to.
type payload struct {
	Changed map[string]any `json:"changed,omitempty"`
	Gained  event.People   `json:"seen,omitempty"` // one event for each user with a status

	all map[user.ID]status.Status // read at delivery
}

// changedEvent describes the event: who, and the changed fields of the status.
type changedEvent struct {
	User user.ID `json:"user_id"`
	status.Shown
}

var changed = kit.Event[payload]("user_status", "").Sends(changedEvent{}).
	Shape(func(_ context.Context, _ *directory.View, c event.Client, p *payload) (any, bool) {
		fields, some := status.Visible(p.Changed, c.StatusEndTimes)
		return status.Spell(fields, c.ZulipNames), some
	}).
	PerReceiver(receiverEvents)

// change changes a user's status. Changes are serialized, since all of them read the realm's view first. change must be
// called inside Do. Errors: BadRequest.
func (s *service) change(ctx context.Context, v *directory.View, u user.ID, c status.Change) error {
	r := v.Realm().ID
	was, err := s.rows.Of(ctx, r, u)
	if err != nil {
		return err
	}
	now, err := was.With(c, message.EmojisIn(v, s.Emoji), s.Clock.Now())
	if err != nil || now == was {
		return err
	}
	if now.End != 0 {
		s.Work.AfterCommit(ctx, s.ending.Added)
	}
	if err := s.rows.Set(ctx, r, u, now); err != nil {
		return err
	}
	return s.publish(ctx, r, u, now.Differing(was))
}

// presenceChanged publishes a change of presence_enabled under its older name, away.
func (s *service) presenceChanged(ctx context.Context, m *user.SettingsChanged) error {
	if m.Old.Settings.PresenceEnabled == m.User.Settings.PresenceEnabled {
		return nil
	}
	return s.publish(ctx, m.Realm, m.User.ID, map[string]any{"away": !m.User.Settings.PresenceEnabled})
}

// joined publishes that a new user is away, if new users hide their presence by default.
func (s *service) joined(ctx context.Context, m *user.Joined) error {
	if !away(m.User) {
		return nil
	}
	return s.publish(ctx, m.Realm, m.User.ID, map[string]any{"away": true})
}

// profileDeleted removes a user's status when the profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if m.User.IsBot() {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	empty := ""
	return s.change(ctx, v, m.User.ID, status.Change{Text: &empty, EmojiName: &empty})
}

func (s *service) publish(ctx context.Context, r realm.ID, u user.ID, fields map[string]any) error {
	return s.Log.Append(ctx, s.event(r, u, fields))
}

// event returns the event about a change of a user's status.
func (s *service) event(r realm.ID, u user.ID, fields map[string]any) event.Event {
	fields["user_id"] = u
	return changed.To(r, event.Seeing(u), payload{Changed: fields})
}
