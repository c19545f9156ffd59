package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// roleGroups returns the system groups that a user belongs to directly.
func roleGroups(v *directory.View, u *user.User) group.Set {
	switch u.Role {
	case user.Owner:
		return group.Set{group.Owners}
	case user.Admin:
		return group.Set{group.Administrators}
	case user.Moderator:
		return group.Set{group.Moderators}
	case user.Member:
		if permission.IsFullMember(v, u) {
			return group.Set{group.FullMembers, group.Members}
		}
		return group.Set{group.Members}
	}
	return group.Set{group.Everyone}
}

// joined adds a new user to the groups of their role and of their invitation.
func (s *service) joined(ctx context.Context, m *user.Joined) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if err := s.publish(ctx, m.Realm, membersAdded, roleGroups(v, m.User), m.User.ID); err != nil {
		return err
	}
	added, groups := user.Set{m.User.ID}, idset.Of(m.Groups...)
	if err := s.store.AddMember(ctx, m.Realm, groups, m.User.ID); err != nil {
		return err
	}
	events := make([]event.Event, len(groups))
	for i, id := range groups {
		events[i] = membersAdded.To(m.Realm, event.Everyone(), memberChange{id, added}).
			Changing(directory.Change{Members: &directory.Members{Group: id, Add: added}})
	}
	return s.Log.Append(ctx, events...)
}

func (s *service) roleChanged(ctx context.Context, m *user.RoleChanged) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil || !m.User.Active {
		return err
	}
	was, is := roleGroups(v, m.Old), roleGroups(v, m.User)
	if err := s.publish(ctx, m.Realm, membersRemoved, was.Minus(is), m.User.ID); err != nil {
		return err
	}
	return s.publish(ctx, m.Realm, membersAdded, is.Minus(was), m.User.ID)
}

// deactivated sends events that remove the user from groups in clients. The stored memberships do not change.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if err := s.publish(ctx, m.Realm, membersRemoved, groupsOf(v, v.User(m.User)), m.User); err != nil {
		return err
	}
	return s.publishNamed(ctx, v, m.Realm, m.User, false)
}

func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if err := s.publish(ctx, m.Realm, membersAdded, groupsOf(v, v.User(m.User)), m.User); err != nil {
		return err
	}
	return s.publishNamed(ctx, v, m.Realm, m.User, true)
}

// publishNamed publishes the group permissions that name a user who is being deactivated or reactivated, since clients
// receive only the active users in them.
func (s *service) publishNamed(ctx context.Context, v *directory.View, r realm.ID, u user.ID, active bool) error {
	var events []event.Event
	for g := range v.Groups() {
		data := map[string]any{}
		for name, value := range g.Permissions {
			if value.Group != 0 || !value.Members.Has(u) {
				continue
			}
			if !active { // in the view, the user is still active
				value.Members = value.Members.Minus(user.Set{u})
			}
			data[name] = permission.Shown(v, value)
		}
		if len(data) > 0 {
			events = append(events, updated.To(r, event.Everyone(), groupUpdated{g.ID, data}))
		}
	}
	return s.Log.Append(ctx, events...)
}

// groupsOf returns all groups that a user belongs to directly.
func groupsOf(v *directory.View, u *user.User) group.Set {
	if u == nil {
		return nil
	}
	all := roleGroups(v, u)
	for g := range v.Groups() {
		if g.Members.Has(u.ID) {
			all = all.Union(group.Set{g.ID})
		}
	}
	return all
}

func (s *service) publish(
	ctx context.Context,
	r realm.ID,
	what kit.EventType[memberChange],
	gs group.Set,
	u user.ID,
) error {
	events := make([]event.Event, len(gs))
	for i, g := range gs {
		events[i] = what.To(r, event.Everyone(), memberChange{g, user.Set{u}})
	}
	return s.Log.Append(ctx, events...)
}

// becameFullMembers announces users who became full members by account age.
func (s *service) becameFullMembers(ctx context.Context, m *permission.BecameFullMember) error {
	return s.Log.Append(ctx, membersAdded.To(m.Realm, event.Everyone(), memberChange{group.FullMembers, m.Users}))
}

// waitingPeriodChanged announces who becomes or ceases to be a full member when the waiting period changes. Users
// become full members by age before an event announces it, and clients that register in between already have the
// result. Removals are therefore computed from the actual state, additions from the announced state.
func (s *service) waitingPeriodChanged(ctx context.Context, m *directory.Changed) error {
	if m.Before.Realm() == nil || m.After.Realm() == nil || permission.Waiting(m.Before) == permission.Waiting(m.After) {
		return nil
	}
	announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{Changed: m})
	if err != nil {
		return err
	}
	was, is := permission.DirectMembers(m.Before, group.FullMembers), permission.DirectMembers(m.After, group.FullMembers)
	var events []event.Event
	if gone := was.Minus(is); len(gone) > 0 {
		events = append(events, membersRemoved.To(m.Realm, event.Everyone(), memberChange{group.FullMembers, gone}))
	}
	if come := is.Minus(permission.DirectMembers(announced.View(m.Before), group.FullMembers)); len(come) > 0 {
		events = append(events, membersAdded.To(m.Realm, event.Everyone(), memberChange{group.FullMembers, come}))
	}
	return s.Log.Append(ctx, events...)
}

// joinDateChanged announces users who are no longer full members because their join date has changed: an account
// created by another user joins when it gets its first API key.
func (s *service) joinDateChanged(ctx context.Context, m *directory.Changed) error {
	var gone []user.ID
	for _, c := range m.Changes {
		if c.User == nil || c.User.Old == nil || c.User.New == nil || c.User.Old.Joined.Equal(c.User.New.Joined) {
			continue
		}
		old, now := c.User.Old, c.User.New
		if old.Active && old.Role == user.Member && now.Role == user.Member && permission.IsFullMember(m.Before, old) &&
			!permission.IsFullMember(m.After, now) {
			gone = append(gone, now.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return s.Log.Append(
		ctx,
		membersRemoved.To(m.Realm, event.Everyone(), memberChange{group.FullMembers, idset.Of(gone...)}),
	)
}
