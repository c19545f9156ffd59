package reading

import (
	"context"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// perAsk bounds how much is asked in one statement.
const perAsk = 50

// Earlier tells, in the order asked, whether there are such messages.
func (s store) Earlier(ctx context.Context, asked []earlier) ([]bool, error) {
	found := make([]bool, len(asked))
	first := 0
	for some := range slices.Chunk(asked, perAsk) {
		var text []string
		var args []any
		for i, a := range some {
			without := message.Facts(0)
			if a.own {
				without = message.Crossed
			}
			for _, w := range a.within {
				text = append(text, `SELECT ? AS n WHERE EXISTS (SELECT 1 FROM messages
					WHERE recipient_id = ? AND topic_key = ? AND id >= ? AND id <= ? AND facts & ? = 0)`)
				args = append(args, first+i, a.in, a.key, w.first, w.last, without)
			}
		}
		first += len(some)
		if len(text) == 0 {
			continue
		}
		var at []int
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &at); err != nil {
			return nil, err
		}
		for _, n := range at {
			found[n] = true
		}
	}
	return found, nil
}

// maxBrought bounds the messages from other channels of a topic that are looked at one by one; it is the newest.
const maxBrought = 100

// Crossed gives, in the order asked, the newest such messages that were ever moved between channels: ids, places and
// facts.
func (s store) Crossed(ctx context.Context, r realm.ID, asked []earlier) ([][]message.Message, error) {
	found := make([][]message.Message, len(asked))
	first := 0
	for some := range slices.Chunk(asked, perAsk) {
		text, args := make([]string, len(some)), []any{}
		for i, a := range some {
			text[i] = `SELECT * FROM (SELECT ? AS n, id, recipient_id, facts FROM messages
				WHERE recipient_id = ? AND topic_key = ? AND id <= ? AND (facts & ?) <> 0 AND (facts & ?) = ?
				ORDER BY id DESC LIMIT ?) AS c`
			crossed := message.Crossed
			args = append(args, first+i, a.in, a.key, a.within[0].last, crossed, crossed, crossed, maxBrought)
		}
		first += len(some)
		var rows []struct {
			N           int
			ID          message.ID
			RecipientID message.Recipient
			Facts       message.Facts
		}
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, c := range rows {
			found[c.N] = append(found[c.N], message.Message{ID: c.ID, Realm: r, Recipient: c.RecipientID, Facts: c.Facts})
		}
	}
	return found, nil
}
