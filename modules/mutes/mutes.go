package mutes

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type request struct {
	User user.ID `json:"muted_user_id"`
}

type mutedUser struct {
	ID        user.ID `json:"id"`
	Timestamp int64   `json:"timestamp"`
}

// list is the register section and the payload of the event: all users that a user has muted, earliest mute first.
type list struct {
	MutedUsers []mutedUser `json:"muted_users"`
}

var mutedUsers = kit.Event[list]("muted_users", "")

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (list, error) {
	return s.list(ctx, a.User)
}

func (s *service) list(ctx context.Context, u user.ID) (list, error) {
	rows, err := s.store.of(ctx, u)
	out := list{MutedUsers: make([]mutedUser, len(rows))}
	for i, r := range rows {
		out.MutedUsers[i] = mutedUser{ID: r.MutedID, Timestamp: r.Since.Unix()}
	}
	return out, err
}

// mute handles POST /users/me/muted_users/{muted_user_id}. It marks the muted user's messages as read. Errors:
// BadRequest.
func (s *service) mute(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	if in.User == a.User {
		return kit.None{}, errs.Bad("Cannot mute self")
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	if err := check(v, a, in.User, false); err != nil {
		return kit.None{}, err
	}
	markRead, err := s.Read.BeforeMute(ctx, v, a, in.User)
	if err != nil {
		return kit.None{}, err
	}
	now := s.Clock.Now()
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.lockedView(ctx, a, in.User, false)
		if err != nil {
			return err
		}
		marked, err := markRead(ctx, v)
		if err != nil {
			return err
		}
		if err := s.store.add(ctx, a.Realm, a.User, in.User, now); err != nil {
			return err
		}
		muted, err := s.muteEvent(ctx, a, in.User, true)
		if err != nil {
			return err
		}
		return s.Log.Append(ctx, append([]event.Event{muted}, marked...)...)
	})
}

// unmute handles DELETE /users/me/muted_users/{muted_user_id}. Messages that arrived while the user was muted remain
// read. If the caller has been away for a long time, the preparation is split into several transactions, so that it
// does not block the realm. Errors: BadRequest.
func (s *service) unmute(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	for {
		done, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
			return s.unmuteStep(ctx, a, in.User)
		})
		if err != nil || done {
			return kit.None{}, err
		}
	}
}

// unmuteStep does a part of the preparation, or unmutes the user once the preparation is complete. It reports whether
// the user has been unmuted.
func (s *service) unmuteStep(ctx context.Context, a kit.Actor, muted user.ID) (bool, error) {
	v, err := s.lockedView(ctx, a, muted, true)
	if err != nil {
		return false, err
	}
	if ready, err := s.Read.BeforeUnmute(ctx, v, a); err != nil || !ready {
		return false, err
	}
	if err := s.store.remove(ctx, a.User, muted); err != nil {
		return false, err
	}
	e, err := s.muteEvent(ctx, a, muted, false)
	if err != nil {
		return false, err
	}
	return true, s.Log.Append(ctx, e)
}

// lockedView locks the realm, loads its view and calls check with it.
func (s *service) lockedView(ctx context.Context, a kit.Actor, muted user.ID, wantMuted bool) (*directory.View, error) {
	if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	return v, check(v, a, muted, wantMuted)
}

// check checks that a user is muted by the caller (if wantMuted) or can be muted by the caller (otherwise). Errors:
// BadRequest.
func check(v *directory.View, a kit.Actor, muted user.ID, wantMuted bool) error {
	switch isMuted := v.Muted(a.User).Has(muted); {
	case !isMuted && !permission.Sees(v, v.User(a.User), muted):
		return errs.Bad("No such user")
	case isMuted && !wantMuted:
		return errs.Bad("User already muted")
	case !isMuted && wantMuted:
		return errs.Bad("User is not muted")
	}
	return nil
}

// muteEvent returns the event for a new or removed mute.
func (s *service) muteEvent(ctx context.Context, a kit.Actor, other user.ID, on bool) (event.Event, error) {
	all, err := s.list(ctx, a.User)
	change := directory.Change{Mute: &directory.Mute{User: a.User, Muted: other, On: on}}
	return mutedUsers.To(a.Realm, event.To(a.User), all).Changing(change), err
}
