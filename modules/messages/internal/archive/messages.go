package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Maximum size of a page.
const (
	conversationsPerPage = 100     // conversations
	messagesPerPage      = 200     // messages
	editsBatch           = 10      // messages whose edits are read at once; each may have many long ones
	pageSize             = 4 << 20 // bytes of lines
)

// line is a message in an export.
type line struct {
	ID          message.ID           `json:"id"`
	Channel     channel.ID           `json:"channel_id,omitempty"`
	People      user.Set             `json:"user_ids,omitempty"`
	Topic       *string              `json:"topic,omitempty"`
	Sender      user.ID              `json:"sender_id"`
	Client      string               `json:"client"`
	SentAt      time.Time            `json:"sent_at"`
	Content     string               `json:"content"`
	Rendered    string               `json:"rendered"`
	EditedAt    time.Time            `json:"edited_at,omitzero"`
	MovedAt     time.Time            `json:"moved_at,omitzero"`
	Edits       []edit               `json:"edits,omitempty"`
	Reactions   []message.Reaction   `json:"reactions,omitempty"`
	Submessages []message.Submessage `json:"submessages,omitempty"`
}

// edit is a change of a message in an export. It omits fields that did not change.
type edit struct {
	User         user.ID    `json:"user_id"`
	At           time.Time  `json:"at"`
	PrevContent  *string    `json:"prev_content,omitempty"`
	PrevRendered *string    `json:"prev_rendered,omitempty"`
	PrevTopic    *string    `json:"prev_topic,omitempty"`
	Topic        *string    `json:"topic,omitempty"`
	PrevChannel  channel.ID `json:"prev_channel_id,omitempty"`
	Channel      channel.ID `json:"channel_id,omitempty"`
}

// cursor marks the end of the previous page. Messages are ordered by conversation and ID, with channels before direct
// conversations.
type cursor struct {
	Direct bool `json:"direct,omitempty"`
	store.Position
}

// messages returns a page of messages.
func (s *Service) messages(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	var at cursor
	if err := decodeCursor(after, &at); err != nil {
		return export.Page{}, err
	}
	conversations, err := s.nextConversations(ctx, x, at)
	switch {
	case err != nil:
		return export.Page{}, err
	case len(conversations) == 0 && at.Direct:
		return export.Page{}, nil
	case len(conversations) == 0:
		return export.Page{Next: encodeCursor(cursor{Direct: true})}, nil
	}
	last := conversations[len(conversations)-1]
	coverages, err := s.coverages(ctx, x, conversations)
	if err != nil {
		return export.Page{}, err
	}
	conversations = slices.DeleteFunc(conversations, func(r message.Recipient) bool { return coverages[r].empty() })
	var found []message.Message
	if len(conversations) > 0 {
		if found, err = s.Store.Exports.Messages(ctx, conversations, at.Position, x.Until, messagesPerPage); err != nil {
			return export.Page{}, err
		}
	}
	exported, err := s.included(ctx, x, found)
	if err != nil {
		return export.Page{}, err
	}
	lines, upto, err := s.lines(ctx, x, exported)
	next := store.Position{Recipient: last + 1}
	switch {
	case upto < len(exported): // the page is full
		next = store.Position{Recipient: exported[upto-1].Recipient, ID: exported[upto-1].ID}
	case len(found) == messagesPerPage:
		next = store.Position{Recipient: found[messagesPerPage-1].Recipient, ID: found[messagesPerPage-1].ID}
	}
	return export.Page{Lines: lines, Next: encodeCursor(cursor{at.Direct, next})}, err
}

// nextConversations returns the next conversations, or none if there are no more.
func (s *Service) nextConversations(ctx context.Context, x *export.Scope, at cursor) ([]message.Recipient, error) {
	if at.Direct {
		return s.Store.Exports.DirectFrom(ctx, x.View.Realm().ID, at.Recipient, conversationsPerPage)
	}
	all := channels(x, at.Recipient)
	return all[:min(len(all), conversationsPerPage)], nil
}

// lines returns the lines for as many messages as fit in a page, and the number of these messages.
func (s *Service) lines(ctx context.Context, x *export.Scope, ms []message.Message) ([]any, int, error) {
	var lines []any
	size, n := 0, 0
	for some := range slices.Chunk(ms, editsBatch) {
		if size > pageSize {
			break
		}
		more, err := s.describe(ctx, x, some)
		if err != nil {
			return nil, 0, err
		}
		for i := range more {
			line, err := kit.AppendJSON(nil, &more[i])
			if err != nil {
				return nil, 0, err
			}
			size += len(line)
			lines = append(lines, json.RawMessage(line))
		}
		n += len(some)
	}
	return lines, n, nil
}

// describe adds participants, edits, reactions and submessages to messages.
func (s *Service) describe(ctx context.Context, x *export.Scope, ms []message.Message) ([]line, error) {
	var ids, changed, extended []message.ID
	var recipients []message.Recipient
	policy := x.View.Realm().Settings.MessageEditHistoryVisibility
	for i := range ms {
		m := &ms[i]
		ids, recipients = append(ids, m.ID), append(recipients, m.Recipient)
		if m.Facts&message.Changed != 0 && (policy != realm.HistoryNone || x.Everything()) {
			changed = append(changed, m.ID)
		}
		if m.Facts&message.HasWidget != 0 {
			extended = append(extended, m.ID)
		}
	}
	members, err1 := s.Store.Conversations.Members(ctx, recipients)
	edits, err2 := s.Store.Edits.Of(ctx, changed)
	reactions, err3 := s.Store.Reactions.Of(ctx, ids)
	submessages, err4 := s.Store.Submessages.Of(ctx, extended)
	out := make([]line, len(ms))
	for i := range ms {
		m := &ms[i]
		out[i] = line{
			ID: m.ID, People: members[m.Recipient], Sender: m.Sender, Client: m.Client, SentAt: m.SentAt.UTC(),
			Content:  m.Content,
			Rendered: m.Rendered, EditedAt: m.EditedAt.UTC(), MovedAt: m.MovedAt.UTC(), Reactions: reactions[m.ID],
			Submessages: submessages[m.ID],
			Edits:       editsOf(edits[m.ID], policy == realm.HistoryMoves && !x.Everything()),
		}
		if c, isChannel := m.Recipient.Channel(); isChannel {
			out[i].Channel, out[i].Topic = c, &m.Topic
		}
	}
	return out, errors.Join(err1, err2, err3, err4)
}

// editsOf converts a message's edits. If moves is set, it returns only those that moved the message, without content.
func editsOf(all []message.Edit, moves bool) []edit {
	var out []edit
	for _, e := range all {
		w := edit{User: e.User, At: e.At.UTC(), PrevTopic: e.PrevTopic, Topic: e.Topic}
		if e.To != 0 {
			w.PrevChannel, _ = e.From.Channel()
			w.Channel, _ = e.To.Channel()
		}
		if !moves {
			w.PrevContent, w.PrevRendered = e.PrevContent, e.PrevRendered
		} else if e.PrevTopic == nil && e.To == 0 {
			continue
		}
		out = append(out, w)
	}
	return out
}

func encodeCursor(at any) string {
	b, _ := json.Marshal(at)
	return string(b)
}

func decodeCursor(cursor string, at any) error {
	if cursor == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(cursor), at); err != nil {
		return fmt.Errorf("invalid cursor %q: %w", cursor, err)
	}
	return nil
}
