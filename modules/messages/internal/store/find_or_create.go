package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// FindOrCreateAll returns the direct conversation of each set of users, creating missing ones. The number of statements
// does not depend on the number of sets. Call it inside Do.
func (s *Conversations) FindOrCreateAll(ctx context.Context, r realm.ID, sets []user.Set) ([]message.Recipient, error) {
	keys, found, err := s.findKeys(ctx, r, sets)
	if err != nil {
		return nil, err
	}
	missing := map[string]user.Set{}
	for i, k := range keys {
		if found[k] == 0 {
			missing[k] = sets[i]
		}
	}
	if err := s.createAll(ctx, r, missing, found); err != nil {
		return nil, err
	}
	out := make([]message.Recipient, len(keys))
	for i, k := range keys {
		out[i] = message.OfDirect(found[k])
	}
	return out, nil
}

// FindAll returns the direct conversation of each set of users, or 0.
func (s *Conversations) FindAll(ctx context.Context, r realm.ID, sets []user.Set) ([]message.Recipient, error) {
	keys, found, err := s.findKeys(ctx, r, sets)
	out := make([]message.Recipient, len(keys))
	for i, k := range keys {
		if id := found[k]; id != 0 {
			out[i] = message.OfDirect(id)
		}
	}
	return out, err
}

func (s *Conversations) findKeys(
	ctx context.Context,
	r realm.ID,
	sets []user.Set,
) (keys []string, found map[string]int64, err error) {
	keys, found = make([]string, len(sets)), make(map[string]int64, len(sets))
	for i, members := range sets {
		keys[i] = membersKey(members)
	}
	for part := range slices.Chunk(keys, perInsert) {
		var rows []conversation
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("realm_id = ?", r).
			Where("members_key IN (?)", bun.List(part)).
			Scan(ctx, &rows)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range rows {
			found[c.MembersKey] = c.ID
		}
	}
	return keys, found, nil
}

// createAll creates conversations and adds their IDs to found. It waits for concurrent transactions that create the
// same conversations.
func (s *Conversations) createAll(
	ctx context.Context, r realm.ID, missing map[string]user.Set, found map[string]int64,
) error {
	rows := make([]conversation, 0, len(missing))
	for key := range missing {
		rows = append(rows, conversation{Realm: r, MembersKey: key})
	}
	slices.SortFunc(
		rows,
		func(a, b conversation) int { return slices.Compare([]byte(a.MembersKey), []byte(b.MembersKey)) },
	)
	var members []member
	for part := range slices.Chunk(rows, perInsert) {
		var made []conversation
		err := s.db.From(ctx).NewInsert().Model(&part).ExcludeColumn("id").On("CONFLICT (realm_id, members_key) DO UPDATE").
			Set("members_key = EXCLUDED.members_key").Returning("id, members_key").Scan(ctx, &made)
		if err != nil {
			return err
		}
		for _, c := range made {
			found[c.MembersKey] = c.ID
			for _, u := range missing[c.MembersKey] {
				members = append(members, member{Conversation: c.ID, User: u})
			}
		}
	}
	for part := range slices.Chunk(members, perInsert) {
		if _, err := s.db.From(ctx).NewInsert().Model(&part).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
