package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
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

// mute is POST /users/me/muted_users/{muted_user_id}: what is unread of the muted is read from then on. Errors: BadRequest.
func (s *Service) mute(ctx context.Context, a kit.Actor, in muteReq) (kit.None, error) {
	if in.User == a.User {
		return kit.None{}, errs.Bad("Cannot mute self")
	}
	now := s.needs.Clock.Now()
	return kit.None{}, s.needs.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.muting(ctx, a, in.User)
		if err != nil {
			return err
		}
		if v.Muted(a.User).Has(in.User) {
			return errs.Bad("User already muted")
		}
		changed, err := s.forget(ctx, v, a, in.User)
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

// unmute is DELETE /users/me/muted_users/{muted_user_id}: what has come in the meantime stays read. Errors: BadRequest.
func (s *Service) unmute(ctx context.Context, a kit.Actor, in muteReq) (kit.None, error) {
	return kit.None{}, s.needs.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.muting(ctx, a, in.User)
		if err != nil {
			return err
		}
		if !v.Muted(a.User).Has(in.User) {
			return errs.Bad("User is not muted")
		}
		if err := s.liftAll(ctx, v, a.User); err != nil {
			return err
		}
		if _, err := s.store.Unmute(ctx, a.User, in.User); err != nil {
			return err
		}
		events, err := s.tellMutes(ctx, a, in.User, false)
		if err != nil {
			return err
		}
		return s.needs.Log.Append(ctx, events...)
	})
}

// muting takes the realm's place in order, and checks that there is such a user.
func (s *Service) muting(ctx context.Context, a kit.Actor, muted user.ID) (*directory.View, error) {
	if _, err := s.needs.Log.Lock(ctx, a.Realm); err != nil {
		return nil, err
	}
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	if !v.Muted(a.User).Has(muted) && !permission.Sees(v, v.User(a.User), muted) {
		return nil, errs.Bad("No such user")
	}
	return v, nil
}

func (s *Service) tellMutes(ctx context.Context, a kit.Actor, other user.ID, on bool) ([]event.Event, error) {
	list, err := s.muted(ctx, a.User)
	change := directory.Change{Mute: &directory.Mute{User: a.User, Muted: other, On: on}}
	return []event.Event{mutedUsers.To(a.Realm, event.To(a.User), list).Changing(change)}, err
}

// forget marks as read what is unread of somebody who is about to be muted, and gives it.
func (s *Service) forget(ctx context.Context, v *directory.View, a kit.Actor, muted user.ID) ([]message.ID, error) {
	p, old, err := s.person(ctx, v, a.User)
	if err != nil {
		return nil, err
	}
	head, err := s.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.store.By(ctx, a.Realm, muted, p.state.Floor, head)
	if err != nil {
		return nil, err
	}
	below, err := s.store.Facts(ctx, a.Realm, p.state.Unread.Union(old))
	if err != nil {
		return nil, err
	}
	var changed, bits readstate.IDs
	for _, f := range merge(below, found) {
		if f.Sender != muted || !p.Unread(&p.state, f.rule(), old.Has(f.ID)) {
			continue
		}
		changed = append(changed, f.ID)
		if old.Has(f.ID) {
			bits = append(bits, f.ID)
		}
	}
	if err := s.clearOld(ctx, a.User, bits); err != nil {
		return nil, err
	}
	p.state.Forget(changed)
	return changed, s.save(ctx, map[user.ID]*person{a.User: p})
}

// clearOld removes somebody's OldUnread bits of some messages.
func (s *Service) clearOld(ctx context.Context, u user.ID, ids readstate.IDs) error {
	flags, err := s.store.FlagsFrom(ctx, u, message.OldUnread, 0)
	if err != nil {
		return err
	}
	set := map[mine]message.Flag{}
	for _, id := range ids {
		set[mine{u, id}] = flags[id] &^ message.OldUnread
	}
	return s.store.SetFlags(ctx, set)
}

// liftAll lifts somebody's floor to the head, as long as their mutes still count.
func (s *Service) liftAll(ctx context.Context, v *directory.View, u user.ID) error {
	states, err := s.store.States(ctx, []user.ID{u}, []readstate.Chunk{-1})
	if err != nil {
		return err
	}
	p := &person{Reader: s.reader(v, u)}
	if st := states[u]; st != nil {
		p.state, p.before = *st, *st
	}
	head, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	all := map[user.ID]*person{u: p}
	for p.state.Floor < head {
		if err := s.liftFar(ctx, all, []user.ID{u}, head, s.limits.far); err != nil {
			return err
		}
	}
	return s.save(ctx, all)
}
