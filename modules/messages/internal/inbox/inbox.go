// Package inbox determines which messages a user has received. This follows from subscription periods, from
// participation in direct conversations, and from moves of messages between channels, so there is no row per user and
// message.
package inbox

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// block is the maximum number of rows or IDs per statement.
const block = 1000

// Store stores subscription periods, and reads the participants of direct conversations and the moves of messages.
type Store struct{ db *bunstore.DB }

// New returns a Store.
func New(db *bunstore.DB) *Store { return &Store{db} }

// WithMoves returns messages in the form used by domain/readstate, including their moves between channels.
func (s *Store) WithMoves(ctx context.Context, ms []message.Message) ([]readstate.Message, error) {
	var moved []message.ID
	for i := range ms {
		if ms[i].Facts&message.MovedChannel != 0 {
			moved = append(moved, ms[i].ID)
		}
	}
	moves, err := s.Moves(ctx, moved)
	out := make([]readstate.Message, len(ms))
	for i, m := range ms {
		out[i] = readstate.Of(m, moves[m.ID])
	}
	return out, err
}

// Conversations returns the conversations that messages are or were in, ascending.
func Conversations(ms ...readstate.Message) idset.Set[message.Recipient] {
	var in []message.Recipient
	for _, r := range ms {
		in = append(in, r.Recipient)
		for _, m := range r.Moves {
			in = append(in, m.From, m.To)
		}
	}
	return idset.Of(in...)
}

// IDs returns the IDs of messages, ascending.
func IDs(ms []readstate.Message) idset.Set[message.ID] {
	list := make([]message.ID, len(ms))
	for i := range ms {
		list[i] = ms[i].ID
	}
	return idset.Of(list...)
}

// Delivery is a message and a user who may have received it.
type Delivery struct {
	User    user.ID
	Message message.Message
}

// Received reports, for each delivery, whether the user has received the message. The number of statements does not
// depend on the number of deliveries.
func (s *Store) Received(ctx context.Context, all []Delivery) ([]bool, error) {
	if len(all) == 0 {
		return nil, nil
	}
	ms := make([]message.Message, len(all))
	for i, d := range all {
		ms[i] = d.Message
	}
	withMoves, err := s.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for i, r := range withMoves {
		for _, in := range Conversations(r) {
			pairs = append(pairs, Pair{all[i].User, in})
		}
	}
	periods, err := s.Periods(ctx, pairs)
	if err != nil {
		return nil, err
	}
	members, err := s.Members(ctx, Conversations(withMoves...))
	out := make([]bool, len(all))
	for i, d := range all {
		in := readstate.Inbox{Periods: append([]readstate.Period{}, periods[d.User]...)}
		if members[d.Message.Recipient].Has(d.User) {
			in.Direct = idset.Of(d.Message.Recipient)
		}
		in.Sort()
		out[i] = in.Received(withMoves[i])
	}
	return out, err
}

// CurrentConversations returns the conversations in which the owner of an inbox currently participates.
func CurrentConversations(o *readstate.Inbox) []message.Recipient {
	in := append([]message.Recipient{}, o.Direct...)
	for _, p := range o.Periods {
		if p.Open() {
			in = append(in, p.Recipient)
		}
	}
	return in
}
