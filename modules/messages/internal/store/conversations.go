package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Conversations stores direct conversations and their participants.
type Conversations struct {
	db      *bunstore.DB
	work    ports.UnitOfWork
	members *immutableCache[int64, user.Set] // participants by conversation; they never change
	keys    *immutableCache[string, int64]   // conversations by realm and membersKey
}

// Conversations read in a transaction are cached only after the transaction has been committed. If it is rolled back, a
// new conversation never existed, and its ID may be reused.

type conversation struct {
	bun.BaseModel `bun:"table:conversations"`
	ID            int64    `bun:",pk,autoincrement"`
	Realm         realm.ID `bun:"realm_id"`
	MembersKey    string
}

type member struct {
	bun.BaseModel `bun:"table:conversation_members"`
	Conversation  int64   `bun:"conversation_id,pk" owner:"conversations"`
	User          user.ID `bun:"user_id,pk" person:"id"`
}

// membersKey returns a key of fixed length for a set of users.
func membersKey(members user.Set) string {
	text := make([]byte, 0, 8*len(members))
	for _, u := range members {
		text = append(strconv.AppendInt(text, int64(u), 10), ',')
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Find returns the direct conversation between exactly these users, or 0.
func (s *Conversations) Find(ctx context.Context, r realm.ID, members user.Set) (message.Recipient, error) {
	key := membersKey(members)
	cacheKey := strconv.FormatInt(int64(r), 10) + "/" + key
	if id, ok := s.keys.get(cacheKey); ok {
		return message.OfDirect(id), nil
	}
	var ids []int64
	err := s.db.From(ctx).NewSelect().Model((*conversation)(nil)).Column("id").
		Where("realm_id = ? AND members_key = ?", r, key).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	s.work.AfterCommit(ctx, func(context.Context) { s.keys.put(cacheKey, ids[0]) })
	return message.OfDirect(ids[0]), nil
}

// Create creates the direct conversation between these users, unless it exists.
func (s *Conversations) Create(ctx context.Context, r realm.ID, members user.Set) error {
	c := conversation{Realm: r, MembersKey: membersKey(members)}
	var ids []int64
	err := s.db.From(ctx).NewInsert().Model(&c).ExcludeColumn("id").On("CONFLICT (realm_id, members_key) DO NOTHING").
		Returning("id").Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return bunstore.IgnoreNoRows(err)
	}
	rows := make([]member, len(members))
	for i, u := range members {
		rows[i] = member{Conversation: ids[0], User: u}
	}
	_, err = s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Members returns the participants of direct conversations. It ignores channels.
func (s *Conversations) Members(ctx context.Context, rs []message.Recipient) (map[message.Recipient]user.Set, error) {
	out := make(map[message.Recipient]user.Set, len(rs))
	var missing []int64
	for _, r := range rs {
		if _, channel := r.Channel(); channel || out[r] != nil {
			continue
		}
		id := int64(r >> 1)
		if us, ok := s.members.get(id); ok {
			out[r] = us
		} else {
			missing = append(missing, id)
		}
	}
	for part := range slices.Chunk(missing, perList) {
		var rows []member
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("conversation_id IN (?)", bun.List(part)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		found := map[int64][]user.ID{}
		for _, m := range rows {
			found[m.Conversation] = append(found[m.Conversation], m.User)
		}
		for id, us := range found {
			set := idset.Of(us...)
			s.work.AfterCommit(ctx, func(context.Context) { s.members.put(id, set) })
			out[message.OfDirect(id)] = set
		}
	}
	return out, nil
}

// Of returns all of a user's direct conversations.
func (s *Conversations) Of(ctx context.Context, u user.ID) ([]message.Recipient, error) {
	var ids []int64
	err := s.db.From(ctx).
		NewSelect().
		Model((*member)(nil)).
		Column("conversation_id").
		Where("user_id = ?", u).
		Scan(ctx, &ids)
	out := make([]message.Recipient, len(ids))
	for i, id := range ids {
		out[i] = message.OfDirect(id)
	}
	slices.Sort(out)
	return out, err
}

// Partners returns, for each user, the other users with whom the user has a direct conversation.
func (s *Conversations) Partners(ctx context.Context, r realm.ID, us user.Set) (map[user.ID]user.Set, error) {
	found := map[user.ID][]user.ID{}
	for part := range slices.Chunk(us, perList) {
		var rows []struct {
			Mine, Theirs user.ID
		}
		err := s.db.From(ctx).NewSelect().TableExpr("conversation_members AS mine").
			Join("JOIN conversation_members AS theirs ON theirs.conversation_id = mine.conversation_id").
			Join("JOIN conversations AS c ON c.id = mine.conversation_id").
			ColumnExpr("mine.user_id AS mine, theirs.user_id AS theirs").
			Where("c.realm_id = ? AND mine.user_id IN (?) AND theirs.user_id <> mine.user_id", r, bun.List(part)).
			Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found[row.Mine] = append(found[row.Mine], row.Theirs)
		}
	}
	out := make(map[user.ID]user.Set, len(found))
	for u, others := range found {
		out[u] = idset.Of(others...)
	}
	return out, nil
}

// Recent is a direct conversation and its newest message.
type Recent struct {
	Conversation int64
	Newest       message.ID
}

// Recent returns at most limit of a user's direct conversations that have messages, most recent first.
func (s *Conversations) Recent(ctx context.Context, u user.ID, limit int) ([]Recent, error) {
	var rows []Recent
	err := s.db.From(ctx).NewRaw(`SELECT conversation, newest FROM (
			SELECT cm.conversation_id AS conversation,
				(SELECT m.id FROM messages m WHERE m.recipient_id = cm.conversation_id * 2 + 1 ORDER BY m.id DESC LIMIT 1) AS newest
			FROM conversation_members cm WHERE cm.user_id = ?) t
		WHERE newest IS NOT NULL ORDER BY newest DESC LIMIT ?`, u, limit).Scan(ctx, &rows)
	return rows, err
}
