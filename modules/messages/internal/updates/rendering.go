package updates

import (
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
)

// Rendered returns the event for a message of which only the HTML has changed.
func (s *Service) Rendered(m *message.Message, now time.Time, to event.Audience) event.Event {
	u := Update{
		ID:        m.ID,
		IDs:       idset.Packed[message.ID]{m.ID},
		At:        now.Unix(),
		From:      m.Recipient,
		Rendering: true,
		Edited:    edited(m),
	}
	return s.Of(m.Realm, to, u, m.ID)
}

// edited returns the time of the last edit of a message's content, in microseconds, or 0.
func edited(m *message.Message) int64 {
	if m.EditedAt.IsZero() {
		return 0
	}
	return m.EditedAt.UnixMicro()
}

// renderingForm returns the event for a message of which only the HTML has changed. It drops the event if the content
// was edited in the meantime, because edits have their own event.
func (u *Update) renderingForm() (any, bool) {
	if u.current == nil || edited(u.current) != u.Edited {
		return nil, false
	}
	return wire{
		RenderingOnly: true,
		ID:            u.ID,
		IDs:           u.IDs,
		Timestamp:     u.At,
		Content:       &u.current.Content,
		Rendered:      &u.current.Rendered,
	}, true
}
