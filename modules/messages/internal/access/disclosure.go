package access

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// disclosuresAtOnce is the maximum number of readers whose access is determined with one set of statements.
const disclosuresAtOnce = 1000

// Disclosures returns what each reader may be shown of a message whose text was quoted earlier.
func (s *Service) Disclosures(
	ctx context.Context, v *directory.View, to []message.Reader,
) ([]message.Disclosure, error) {
	out := make([]message.Disclosure, 0, len(to))
	for part := range slices.Chunk(to, disclosuresAtOnce) {
		some, err := s.disclosures(ctx, v, part)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (s *Service) disclosures(
	ctx context.Context, v *directory.View, to []message.Reader,
) ([]message.Disclosure, error) {
	ids := make([]message.ID, len(to))
	for i, one := range to {
		ids[i] = one.Message
	}
	heads, err := s.Store.Heads(ctx, v.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[message.ID]*message.Message, len(heads))
	for i := range heads {
		byID[heads[i].ID] = &heads[i]
	}
	var existing []int // indexes into to
	var deliveries []inbox.Delivery
	for i, one := range to {
		if m := byID[one.Message]; m != nil {
			existing = append(existing, i)
			deliveries = append(deliveries, inbox.Delivery{User: one.User, Message: *m})
		}
	}
	holders, err := s.Audience.HoldersByDelivery(ctx, deliveries)
	if err != nil {
		return nil, err
	}
	rewritten, err := s.rewritten(ctx, v, heads)
	if err != nil {
		return nil, err
	}
	out := make([]message.Disclosure, len(to))
	for n, i := range existing {
		m := &deliveries[n].Message
		switch u := v.User(to[i].User); {
		case u == nil || !u.Active || !Reads(v, u, m, holders[n]):
		case rewritten[m.ID]:
			out[i] = message.DiscloseLocation
		default:
			out[i] = message.DiscloseQuote
		}
	}
	return out, nil
}

// rewritten returns which of the messages have former texts that the realm's history of edits does not show.
func (s *Service) rewritten(
	ctx context.Context, v *directory.View, heads []message.Message,
) (map[message.ID]bool, error) {
	if v.Realm().Settings.MessageEditHistoryVisibility == realm.HistoryAll {
		return nil, nil
	}
	var changed []message.ID // edited or moved
	for i := range heads {
		if heads[i].Facts&message.Changed != 0 {
			changed = append(changed, heads[i].ID)
		}
	}
	ms, err := s.Store.ByID(ctx, v.Realm().ID, changed)
	out := make(map[message.ID]bool, len(ms))
	for i := range ms {
		out[ms[i].ID] = !ms[i].EditedAt.IsZero()
	}
	return out, err
}

// Reads reports whether a user can access a message, given whether the user has it.
func Reads(v *directory.View, u *user.User, m *message.Message, holder audience.Holder) bool {
	if _, isChannel := m.Recipient.Channel(); !isChannel {
		return holder.Received
	}
	switch message.AccessTo(v, m.Recipient, u) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return holder.Has
	}
	return false
}
