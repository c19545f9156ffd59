package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/search"
)

const restore = "restore a backup from before the damage"

// Diagnoses returns the package's checks of stoa doctor.
func (s *Store) Diagnoses() []kit.Diagnosis {
	const place = "(SELECT m.recipient_id FROM messages m WHERE m.id = r.message_id)"
	return []kit.Diagnosis{{
		Name: "places", Doc: "Each message belongs to a channel or a conversation, and has a sender.",
		Wrong: []kit.Wrong{{
			Table: "messages", With: []string{"channels"}, Text: "belong to no channel", Remedy: restore,
			Where: "r.recipient_id % 2 = 0 AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = r.recipient_id / 2)",
		}, {
			Table: "messages", Text: "belong to no conversation", Remedy: restore,
			Where: "r.recipient_id % 2 = 1 AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = r.recipient_id / 2)",
		}, {
			Table: "messages", With: []string{"users"}, Text: "have no sender", Remedy: restore,
			Where: "NOT EXISTS (SELECT 1 FROM users u WHERE u.id = r.sender_id)",
		}},
	}, {
		Name: "reactions", Doc: "Each reaction is stored in the place of its message.",
		Wrong: []kit.Wrong{{
			Table: "reactions", Where: "r.recipient_id <> COALESCE(" + place + ", r.recipient_id)",
			Text: "are stored in another place than their message", Fix: "recipient_id = " + place,
		}},
	}, {
		Name: "search", Doc: "The index of words contains each message up to the last one indexed.",
		Run: s.Words.examine, Fix: s.repairSearch,
	}, {
		Name: "rendering", Doc: "Each message was rendered by the current rules, or will be.",
		Run: s.Renderings.examine, Fix: s.repairRendering,
	}}
}

// perExamination is how many messages one query examines.
const perExamination = 10_000

// missing calls fn with the indexed messages without an entry, in blocks.
func (s *Words) missing(ctx context.Context, fn func([]message.ID) error) error {
	var last message.ID
	if err := s.db.From(ctx).NewRaw("SELECT COALESCE(max(indexed), 0) FROM message_search_state").
		Scan(ctx, &last); err != nil {
		return err
	}
	for from := message.ID(0); from < last; from += perExamination {
		var ids []message.ID
		err := s.db.From(ctx).NewRaw(`SELECT m.id FROM messages m
			JOIN message_search_state s ON s.realm_id = m.realm_id AND m.id <= s.indexed
			WHERE m.id > ?0 AND m.id <= ?1 AND NOT EXISTS (SELECT 1 FROM message_search w WHERE w.rowid = m.id)
			ORDER BY m.id`, from, from+perExamination).Scan(ctx, &ids)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			if err := fn(ids); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Words) examine(ctx context.Context) ([]kit.Finding, error) {
	n, first := 0, message.ID(0)
	err := s.missing(ctx, func(ids []message.ID) error {
		if n == 0 {
			first = ids[0]
		}
		n += len(ids)
		return nil
	})
	if err != nil || n == 0 {
		return nil, err
	}
	return []kit.Finding{{
		Text: fmt.Sprintf("%d messages are missing from the index of words, the first is %d", n, first),
	}}, nil
}

// repairSearch adds the missing entries to the index.
func (s *Store) repairSearch(ctx context.Context) error {
	return s.Words.missing(ctx, func(ids []message.ID) error {
		for some := range slices.Chunk(ids, perList) {
			err := s.Conversations.work.Do(ctx, func(ctx context.Context) error { return s.Words.add(ctx, some) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// add adds the entries of messages. Call it inside Do; it locks the rows against concurrent edits.
func (s *Words) add(ctx context.Context, ids []message.ID) error {
	var ms []row
	err := s.db.ForUpdate(s.db.From(ctx).NewSelect().Model(&ms).Column("id", "content", "topic").
		Where("m.id IN (?)", bun.List(ids))).Scan(ctx)
	if err != nil || len(ms) == 0 {
		return err
	}
	var t search.Tokenizer
	rows := make([]indexed, len(ms))
	for i := range ms {
		rows[i] = newEntry(&t, &ms[i]).indexed
	}
	_, err = s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// outdated returns how many messages have an older version than that up to which all messages were rendered, and the
// first of them.
func (s *Renderings) outdated(ctx context.Context) (n int, first message.ID, err error) {
	var state []rendering
	if err := s.db.From(ctx).NewSelect().Model(&state).Where("id = 1").Scan(ctx); err != nil || len(state) == 0 {
		return 0, 0, err
	}
	for from := message.ID(0); from < state[0].Done; from += perExamination {
		var found struct {
			N     int
			First message.ID
		}
		err := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr("count(*) AS n, COALESCE(min(id), 0) AS first").
			Where("id > ? AND id <= ?", from, min(from+perExamination, state[0].Done)).
			Where("render_version < ?", state[0].Version).Scan(ctx, &found)
		if err != nil {
			return 0, 0, err
		}
		if n == 0 {
			first = found.First
		}
		n += found.N
	}
	return n, first, nil
}

func (s *Renderings) examine(ctx context.Context) ([]kit.Finding, error) {
	n, first, err := s.outdated(ctx)
	if err != nil || n == 0 {
		return nil, err
	}
	return []kit.Finding{{
		Text: fmt.Sprintf("%d messages were rendered by older rules, the first is %d", n, first), Minor: true,
	}}, nil
}

// repairRendering makes the server render the messages again from the first one that is outdated.
func (s *Store) repairRendering(ctx context.Context) error {
	n, first, err := s.Renderings.outdated(ctx)
	if err != nil || n == 0 {
		return err
	}
	return s.Conversations.work.Do(ctx, func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewUpdate().Model((*rendering)(nil)).Set("done = ?", first-1).Where("id = 1").
			Where("done >= ?", first).Exec(ctx)
		return err
	})
}
