package imports

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/revise"
)

// maxLate is the number of texts after which modules that are late are not asked about the rest of a batch: one that
// hangs would otherwise take a second for each message of an organization's past.
const maxLate = 10

// revision asks modules about the messages of a batch.
type revision struct {
	*revise.Service
	view *directory.View
	late atomic.Int32
}

// revise replaces a message's content and its former contents by what modules make of them, and notes what they refuse.
func (r *revision) revise(ctx context.Context, m *importing.Written) error {
	if !r.Answered() {
		return nil
	}
	if m.Content, m.Refused = r.ask(ctx, m, m.Content); m.Refused != nil {
		return ctx.Err()
	}
	for i := range m.Edits {
		e := &m.Edits[i]
		if e.PrevContent == nil {
			continue
		}
		before, err := r.ask(ctx, m, *e.PrevContent)
		if e.PrevContent = &before; err != nil {
			e.PrevContent, m.Cut = nil, err
		}
	}
	m.Edits = slices.DeleteFunc(m.Edits, func(e message.Edit) bool {
		return e.PrevContent == nil && e.PrevTopic == nil && e.To == e.From
	})
	return ctx.Err()
}

func (r *revision) ask(ctx context.Context, m *importing.Written, text string) (string, error) {
	if r.late.Load() >= maxLate {
		return "", revise.ErrLate
	}
	by := user.Actor{Realm: r.view.Realm().ID, User: m.Sender, Client: m.Client}
	if u := r.view.User(m.Sender); u != nil {
		by.Role, by.Bot = u.Role, u.BotType
	}
	revised, err := r.Revise(ctx, r.view, message.Revising{
		By: by, Channel: m.Channel, To: m.Members, Topic: m.Topic, Content: text, Past: true,
	})
	if errors.Is(err, revise.ErrLate) {
		r.late.Add(1)
		err = revise.ErrLate
	}
	return revised, err
}
