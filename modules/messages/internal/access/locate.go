package access

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
)

// Location is the conversation of a message when an event about it is delivered. The zero value means that the message
// has been deleted.
type Location struct {
	recipient message.Recipient
	holders   *audience.Holders // users who have it, if it was ever moved between channels
}

// Locate returns the locations of the messages of a page of events. It omits deleted messages.
func (s *Service) Locate(ctx context.Context, now *directory.View, ids []message.ID) (map[message.ID]Location, error) {
	heads, err := s.Store.Heads(ctx, now.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	moved, err := s.Audience.HoldersOfMoved(ctx, now, heads)
	if err != nil {
		return nil, err
	}
	out := make(map[message.ID]Location, len(heads))
	for _, m := range heads {
		out[m.ID] = Location{m.Recipient, moved[m.ID]}
	}
	return out, nil
}

// Exists reports whether the message has not been deleted.
func (l Location) Exists() bool { return l.recipient != 0 }

// ReadableBy reports whether a receiver of an event can still read the message. The receiver must have been able to
// read it when the event was logged.
func (l Location) ReadableBy(r event.Receiver) bool {
	if !l.Exists() {
		return false
	}
	if _, isChannel := l.recipient.Channel(); !isChannel {
		return true
	}
	switch message.AccessTo(r.Head, l.recipient, r.Head.User(r.User.ID)) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return l.holders == nil || l.holders.Has(r.User.ID)
	}
	return false
}
