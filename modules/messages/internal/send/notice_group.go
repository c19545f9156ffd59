package send

import (
	"context"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// maxRegrouped is the number of users per change who are notified that they were added to or removed from a group.
// Larger changes notify nobody, as with subscriptions.
const maxRegrouped = 100

// regrouped notifies users whom another user has added to a group or removed from it.
func (s *Service) regrouped(ctx context.Context, m *group.MembersChanged) error {
	if len(m.Added)+len(m.Removed) > maxRegrouped {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var all []notice
	notify := func(us user.Set, text string) {
		for _, id := range us {
			if u := v.User(id); u != nil && u.Active && !u.IsBot() && id != m.By.User {
				all = append(all, notice{person: id, text: who(v, m.By.User) + text + named(m.Group) + "."})
			}
		}
	}
	notify(m.Added, " added you to the group ")
	notify(m.Removed, " removed you from the group ")
	return s.notify(ctx, m.Realm, all)
}
