package notifications

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/modules/kit"
)

// sent stores new messages as pending.
func (s *service) sent(ctx context.Context, e *message.Sent) error {
	if !kit.Handled[notification.Decided](s.Collected) {
		return nil
	}
	rows := make([]pending, len(e.Messages))
	for i, m := range e.Messages {
		rows[i] = pending{MessageID: m.ID, RealmID: e.Realm}
	}
	s.Work.AfterCommit(ctx, s.undecided.Added)
	return s.store.Add(ctx, rows)
}

// edited stores an edited channel message as pending if its new text mentions anyone.
func (s *service) edited(ctx context.Context, e *message.Edited) error {
	if _, isChannel := e.After.Recipient.Channel(); !isChannel || e.Before.Content == e.After.Content {
		return nil
	}
	if !kit.Handled[notification.Decided](s.Collected) || !message.MentionsIn(e.After.Rendered).Any() {
		return nil
	}
	named, err := json.Marshal(message.MentionsIn(e.Before.Rendered))
	if err != nil {
		return err
	}
	s.Work.AfterCommit(ctx, s.undecided.Added)
	return s.store.Add(ctx, []pending{{MessageID: e.After.ID, RealmID: e.Realm, Edited: true, Named: string(named)}})
}
