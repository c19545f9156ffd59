package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type muteReq struct {
	User user.ID `json:"muted_user_id"`
}

type mutedUser struct {
	ID        user.ID `json:"id"`
	Timestamp int64   `json:"timestamp"`
}

// mutedSection is the whole list: a section of /register, and the muted_users event.
type mutedSection struct {
	MutedUsers []mutedUser `json:"muted_users"`
}

func (s *Service) mutedSection(ctx context.Context, a kit.Actor, _ event.Client) (mutedSection, error) {
	return s.muted(ctx, a.User)
}

func (s *Service) muted(ctx context.Context, u user.ID) (mutedSection, error) {
	rows, err := s.store.Mutes(ctx, u)
	out := mutedSection{MutedUsers: make([]mutedUser, len(rows))}
	for i, r := range rows {
		out.MutedUsers[i] = mutedUser{ID: r.MutedID, Timestamp: r.Since.Unix()}
	}
	return out, err
}

// mute is POST /users/me/muted_users/{muted_user_id}: what is unread of the muted is read from then on. Errors:
// BadRequest.
func (s *Service) mute(ctx context.Context, a kit.Actor, in muteReq) (kit.None, error) {
	if in.User == a.User {
		return kit.None{}, errs.Bad("Cannot mute self")
	}
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	if err := mutable(v, a, in.User, false); err != nil {
		return kit.None{}, err
	}
	sent, err := s.sentBy(ctx, v, a, in.User)
	if err != nil {
		return kit.None{}, err
	}
	now := s.needs.Clock.Now()
	return kit.None{}, s.needs.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.muting(ctx, a, in.User, false)
		if err != nil {
			return err
		}
		changed, err := s.forget(ctx, v, a, sent)
		if err != nil {
			return err
		}
		if _, err := s.store.Mute(ctx, a.Realm, a.User, in.User, now); err != nil {
			return err
		}
		events, err := s.tellMutes(ctx, a, in.User, true)
		if err == nil && len(changed) > 0 {
			events = append(events, added(a.Realm, a.User, message.NameRead, changed, false))
		}
		if err != nil {
			return err
		}
		return s.needs.Log.Append(ctx, events...)
	})
}

// unmute is DELETE /users/me/muted_users/{muted_user_id}: what has come in the meantime stays read. The floor of
// somebody who was away long is lifted in steps, between which the realm goes on. Errors: BadRequest.
func (s *Service) unmute(ctx context.Context, a kit.Actor, in muteReq) (kit.None, error) {
	for {
		done, err := kit.Tx(
			ctx,
			s.needs.Work,
			func(ctx context.Context) (bool, error) { return s.unmuteStep(ctx, a, in.User) },
		)
		if err != nil || done {
			return kit.None{}, err
		}
	}
}

// unmuteStep lifts the caller's floor one step, and unmutes when it has come to the head: true.
func (s *Service) unmuteStep(ctx context.Context, a kit.Actor, muted user.ID) (bool, error) {
	v, err := s.muting(ctx, a, muted, true)
	if err != nil {
		return false, err
	}
	if all, err := s.liftStep(ctx, v, a.User); err != nil || !all {
		return false, err
	}
	if _, err := s.store.Unmute(ctx, a.User, muted); err != nil {
		return false, err
	}
	events, err := s.tellMutes(ctx, a, muted, false)
	if err != nil {
		return false, err
	}
	return true, s.needs.Log.Append(ctx, events...)
}

// muting takes the realm's place in order, and checks what mutable does.
func (s *Service) muting(ctx context.Context, a kit.Actor, muted user.ID, is bool) (*directory.View, error) {
	if _, err := s.needs.Log.Lock(ctx, a.Realm); err != nil {
		return nil, err
	}
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	return v, mutable(v, a, muted, is)
}

// mutable checks that there is such a user, and whether they are muted already. Errors: BadRequest.
func mutable(v *directory.View, a kit.Actor, muted user.ID, is bool) error {
	switch was := v.Muted(a.User).Has(muted); {
	case !was && !permission.Sees(v, v.User(a.User), muted):
		return errs.Bad("No such user")
	case was && !is:
		return errs.Bad("User already muted")
	case !was && is:
		return errs.Bad("User is not muted")
	}
	return nil
}

func (s *Service) tellMutes(ctx context.Context, a kit.Actor, other user.ID, on bool) ([]event.Event, error) {
	list, err := s.muted(ctx, a.User)
	change := directory.Change{Mute: &directory.Mute{User: a.User, Muted: other, On: on}}
	return []event.Event{mutedUsers.To(a.Realm, event.To(a.User), list).Changing(change)}, err
}
