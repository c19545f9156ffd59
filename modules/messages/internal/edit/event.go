package edit

import (
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/updates"
)

// eventOf returns the event for a share. If the share does not contain the edited message, the event names the first
// message of the share instead.
func (s *Service) eventOf(c *change, share notified) event.Event {
	ids := make(idset.Set[message.ID], len(share.Messages))
	for i := range share.Messages {
		ids[i] = share.Messages[i].ID
	}
	u := updates.Update{
		ID: ids[0], IDs: idset.Packed[message.ID](ids), By: c.by.User, At: c.now.Unix(), Seq: c.seq, From: c.before.Recipient,
	}
	if ids.Has(c.before.ID) {
		u.ID, u.Content = c.before.ID, c.text != nil
	}
	if c.Channel != nil {
		u.Name = c.Channel.Name
	}
	if c.moved != nil {
		u.Mode, u.Old, u.New = c.Mode, c.before.Topic, c.Topic
	}
	if c.Target != nil {
		u.To, u.HadAccess = message.OfChannel(c.Target.ID), share.hadAccess
	}
	return s.Updates.Of(c.by.Realm, share.To, u, c.ids()[0])
}
