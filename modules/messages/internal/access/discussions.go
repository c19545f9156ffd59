package access

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// newestPerDiscussion is the number of messages returned per discussion.
const newestPerDiscussion = 3

// MostDiscussed answers message.MostDiscussed.
func (p Port) MostDiscussed(ctx context.Context, q message.MostDiscussed) ([]message.Discussion, error) {
	v, err := p.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	var bots []user.ID
	for u := range v.Users() {
		if u.IsBot() {
			bots = append(bots, u.ID)
		}
	}
	return p.Store.Discussions(ctx, q.Realm, q.Since, bots, q.Limit, newestPerDiscussion)
}

// Writers answers message.Writers.
func (p Port) Writers(ctx context.Context, q message.Writers) (user.Set, error) {
	return p.Store.Writers(ctx, q.Realm, q.Since)
}
