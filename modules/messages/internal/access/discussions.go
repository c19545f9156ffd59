package access

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// newestPerDiscussion is the number of messages returned per discussion.
const newestPerDiscussion = 3

// Discussions implements [ports.Discussions].
func (p Port) Discussions(ctx context.Context, r realm.ID, since time.Time, limit int) ([]message.Discussion, error) {
	v, err := p.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	var bots []user.ID
	for u := range v.Users() {
		if u.IsBot() {
			bots = append(bots, u.ID)
		}
	}
	return p.Store.Discussions(ctx, r, since, bots, limit, newestPerDiscussion)
}

// Writers implements [ports.Discussions].
func (p Port) Writers(ctx context.Context, r realm.ID, since time.Time) (user.Set, error) {
	return p.Store.Writers(ctx, r, since)
}
