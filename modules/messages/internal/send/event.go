package send

import (
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/messages/internal/arrivals"
)

// eventOf returns the event for a written draft.
func (s *Service) eventOf(d *draft) event.Event {
	a := arrivals.Arrival{
		ID: d.message.ID, Realm: d.message.Realm, Recipient: d.message.Recipient, Sender: d.message.Sender,
		Facts:   d.message.Facts,
		ReadFor: d.message.ReadFor, Users: d.rendered.Users, Groups: d.rendered.Groups,
		Participants: d.flags.TopicWildcard, Alerted: d.flags.Alerted, Notice: d.message.Notice == 1,
		UnreadNotice: d.flags.Unread, ByMention: d.flags.ByMention,
	}
	if d.queue != "" && d.local != "" {
		a.Queue, a.Local = d.queue, d.local
	}
	to := event.Subscribers(d.channel).And(d.flags.ByMention...)
	if d.channel == 0 {
		to = event.Each(d.members...)
	}
	return s.Arrivals.Of(to, a)
}
