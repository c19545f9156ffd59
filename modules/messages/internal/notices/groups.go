package notices

import (
	"context"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/links"
	"github.com/stoachat/stoa/modules/messages/internal/send"
)

// maxNotified is the maximum number of users who are notified that a change added them to a group or removed them. If
// a change affects more users, none are notified, as with subscriptions.
const maxNotified = 100

// membersChanged notifies users who have been added to or removed from a group by another user.
func (s *Service) membersChanged(ctx context.Context, m *group.MembersChanged) error {
	if len(m.Added)+len(m.Removed) > maxNotified {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var all []send.Notice
	notify := func(us user.Set, text string) {
		for _, id := range us {
			if u := v.User(id); u != nil && u.Active && !u.IsBot() && id != m.By.User {
				all = append(all, send.Notice{ToUser: id, Text: links.User(v, m.By.User) + text + links.Group(m.Group) + "."})
			}
		}
	}
	notify(m.Added, " added you to the group ")
	notify(m.Removed, " removed you from the group ")
	return s.Sender.Notify(ctx, m.Realm, all)
}
