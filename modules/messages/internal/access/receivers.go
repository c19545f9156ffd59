package access

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// MessageFlags implements [ports.Receivers].
func (p Port) MessageFlags(ctx context.Context, r realm.ID, ids ...message.ID) ([]message.UserFlags, error) {
	ms, members, err := p.load(ctx, r, ids)
	if err != nil || len(ms) == 0 {
		return nil, err
	}
	flags, err := p.Flags.ByMessage(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]message.UserFlags, len(ms))
	for i, m := range ms {
		out[i] = message.UserFlags{Visible: message.Visible{Message: m, Members: members[m.Recipient]}, Flags: flags[m.ID]}
	}
	return out, nil
}

// Unread implements [ports.Receivers].
func (p Port) Unread(
	ctx context.Context, r realm.ID, usersByMessage map[message.ID]user.Set,
) ([]message.Unread, error) {
	v, err := p.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	ms, members, err := p.load(ctx, r, slices.Sorted(maps.Keys(usersByMessage)))
	if err != nil || len(ms) == 0 {
		return nil, err
	}
	var all []user.ID
	for _, us := range usersByMessage {
		all = append(all, us...)
	}
	states, err := p.States.ForUsers(ctx, v, idset.Of(all...), ms...)
	if err != nil {
		return nil, err
	}
	out := make([]message.Unread, len(ms))
	for i, m := range ms {
		out[i].Visible = message.Visible{Message: m, Members: members[m.Recipient]}
		out[i].Flags = map[user.ID]message.Flag{}
		for _, id := range usersByMessage[m.ID] {
			u := v.User(id)
			if u == nil || !u.Active || !states[m.ID].Received(id) || states[m.ID].Read(id) {
				continue
			}
			if _, isChannel := m.Recipient.Channel(); !isChannel || message.AccessTo(v, m.Recipient, u) != message.NoAccess {
				out[i].Users, out[i].Flags[id] = append(out[i].Users, id), states[m.ID].Flag(id)
			}
		}
	}
	return out, nil
}

// load returns messages and the participants of the direct ones among them.
func (p Port) load(
	ctx context.Context,
	r realm.ID,
	ids []message.ID,
) ([]message.Message, map[message.Recipient]user.Set, error) {
	ms, err := p.Store.ByID(ctx, r, ids)
	if err != nil {
		return nil, nil, err
	}
	var direct []message.Recipient
	for _, m := range ms {
		if _, isChannel := m.Recipient.Channel(); !isChannel {
			direct = append(direct, m.Recipient)
		}
	}
	members, err := p.Store.Conversations.Members(ctx, idset.Of(direct...))
	return ms, members, err
}
