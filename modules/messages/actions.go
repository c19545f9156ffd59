package messages

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/edit"
	"github.com/stoachat/stoa/modules/messages/internal/react"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/ports"
)

// actions implements [ports.MessageActions] with the services behind the routes.
type actions struct {
	reactor *react.Service
	editor  *edit.Service
	remover *remove.Service
	states  *readstate.Service
}

func (s actions) React(ctx context.Context, as user.Actor, id message.ID, emoji string) error {
	return s.reactor.React(ctx, as, id, true, emoji)
}

func (s actions) Unreact(ctx context.Context, as user.Actor, id message.ID, emoji string) error {
	return s.reactor.React(ctx, as, id, false, emoji)
}

func (s actions) Edit(ctx context.Context, as user.Actor, id message.ID, content string) error {
	return s.editor.Edit(ctx, as, id, content)
}

func (s actions) Move(ctx context.Context, as user.Actor, id message.ID, to ports.Move) error {
	return s.editor.Move(ctx, as, id, to)
}

func (s actions) Delete(ctx context.Context, as user.Actor, id message.ID) error {
	return s.remover.Delete(ctx, as, id)
}

func (s actions) Flag(ctx context.Context, as user.Actor, flag string, ids ...message.ID) error {
	return s.states.Flag(ctx, as, "add", flag, ids)
}

func (s actions) Unflag(ctx context.Context, as user.Actor, flag string, ids ...message.ID) error {
	return s.states.Flag(ctx, as, "remove", flag, ids)
}
