package access

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Port implements the ports through which other modules read messages.
type Port struct {
	*Service
	Directory ports.Directory
}

// Visible implements [ports.Messages].
func (p Port) Visible(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.Visible, error) {
	v, err := p.Directory.View(ctx, to.Realm)
	if err != nil {
		return nil, err
	}
	u := v.User(to.User)
	if u == nil || !u.Active {
		return nil, nil
	}
	found, err := p.Service.Visible(ctx, v, u, ids...)
	out := make([]message.Visible, len(found))
	for i, f := range found {
		out[i] = message.Visible{Message: f.Message, Members: f.Members}
	}
	return out, err
}

// Readable implements [ports.Messages].
func (p Port) Readable(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.ID, error) {
	v, err := p.Directory.View(ctx, to.Realm)
	if err != nil {
		return nil, err
	}
	u := &user.User{Role: user.Guest, Active: true} // spectators have the access of a guest without subscriptions
	if to.User != 0 {
		if u = v.User(to.User); u == nil || !u.Active {
			return nil, nil
		}
	}
	return p.Service.Readable(ctx, v, u, ids...)
}

// Disclosures implements [ports.Messages].
func (p Port) Disclosures(ctx context.Context, r realm.ID, to []message.Reader) ([]message.Disclosure, error) {
	v, err := p.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.Service.Disclosures(ctx, v, to)
}
