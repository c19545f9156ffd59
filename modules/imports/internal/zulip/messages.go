package zulip

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// The flags of a message.
const (
	readFlag      = 1 << 0
	starredFlag   = 1 << 1
	collapsedFlag = 1 << 2
)

// Messages implements importing.Source.
func (s *source) Messages(ctx context.Context, to importing.Sink) error {
	t := s.newTexts()
	for _, name := range s.messages {
		err := s.read(ctx, name, func(table, where string, row []byte) error {
			switch table {
			case "zerver_message":
				return s.message(t, where, row, to)
			case "zerver_usermessage":
				return s.flags(where, row, to)
			}
			s.Report.Count(importing.Others, importing.Skipped, "a table that has no place here", table)
			return nil
		})
		var broken damage
		if errors.As(err, &broken) {
			s.Report.Count(importing.Messages, importing.Refused, "the rest of the file is damaged", name)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *source) message(t *texts, where string, row []byte, to importing.Sink) error {
	var m messageRow
	if importing.Decode(row, &m) != nil || m.ID <= 0 {
		s.Report.Count(importing.Messages, importing.Refused, "malformed", where)
		return nil //nolint:nilerr // it is counted
	}
	r, ok := s.recipients[m.Recipient]
	if !ok {
		s.Report.Count(importing.Messages, importing.Refused, "its recipient is not in the archive", where)
		return nil
	}
	lost := t.lost
	out := &importing.Message{
		Key: key(m.ID), Sender: key(m.Sender), Sent: m.Sent.Time, Sequence: m.ID, Content: t.convert(m.Content),
		Client: s.clients[m.Client], Edited: m.Edited.Time, Reactions: s.reactionsTo(m.ID),
	}
	if t.lost > lost {
		out.Loss = &importing.Loss{Reason: "links to a file that is not in the archive", Where: where}
	}
	if out.Sent.IsZero() {
		out.Sent = m.Published.Time
	}
	switch r.Type {
	case streamType:
		out.Channel, out.Topic = key(r.TypeID), importing.CleanText(m.Subject)
	case personalType:
		out.People = importing.Keys([]importing.Key{key(m.Sender), key(r.TypeID)}, nil)
	case huddleType:
		out.People = importing.Keys(append([]importing.Key{key(m.Sender)}, s.members[m.Recipient]...), nil)
	default:
		s.Report.Count(importing.Messages, importing.Refused, "its recipient has an unknown type", where)
		return nil
	}
	s.edits(t, &m, out, where)
	return to.Message(out)
}

// reactionsTo returns the reactions to a message.
func (s *source) reactionsTo(message int64) []importing.Emote {
	i, _ := slices.BinarySearchFunc(s.reactions, message, func(r reaction, m int64) int {
		return cmp.Compare(r.message, m)
	})
	var out []importing.Emote
	for ; i < len(s.reactions) && s.reactions[i].message == message; i++ {
		r := s.reactions[i]
		name := s.emojis[r.emoji]
		e := importing.Emote{By: key(int64(r.user)), Name: name.Name, Code: name.Code}
		if name.Type == "realm_emoji" {
			e.Custom, e.Code = importing.Key(name.Code), ""
		}
		out = append(out, e)
	}
	return out
}

// flags passes on a person's state of a message.
func (s *source) flags(where string, row []byte, to importing.Sink) error {
	var f flagsRow
	if importing.Decode(row, &f) != nil || f.User <= 0 || f.Message <= 0 {
		s.Report.Count(importing.States, importing.Refused, "malformed", where)
		return nil //nolint:nilerr // it is counted
	}
	x := &importing.State{
		Person: key(f.User), Message: key(f.Message), Starred: f.Flags&starredFlag != 0,
		Collapsed: f.Flags&collapsedFlag != 0, Unread: f.Flags&readFlag == 0,
	}
	if !x.Starred && !x.Collapsed && !x.Unread {
		s.Report.Count(importing.States, importing.Imported, "", "") // as all others are
		return nil
	}
	return to.State(x)
}

// editRow is an entry of the history of a message.
type editRow struct {
	At          seconds `json:"timestamp"`
	User        int64   `json:"user_id"`
	PrevContent *string `json:"prev_content"`
	PrevTopic   *string `json:"prev_topic"`
	PrevSubject *string `json:"prev_subject"` // the older name
	Topic       *string `json:"topic"`
	PrevStream  int64   `json:"prev_stream"`
	Stream      int64   `json:"stream"`
}

// edits converts the history of a message, which is text with JSON.
func (s *source) edits(t *texts, m *messageRow, out *importing.Message, where string) {
	var text string
	raw := m.EditHistory
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var all importing.List[editRow]
	if importing.Decode(raw, &all) != nil || all.Bad > 0 {
		out.Loss = &importing.Loss{Reason: "its history is damaged", Where: where}
	}
	slices.SortStableFunc(all.All, func(a, b editRow) int { return a.At.Compare(b.At.Time) })
	var edited time.Time
	for _, e := range all.All {
		one := importing.Edit{
			By: key(e.User), At: e.At.Time, PrevTopic: e.PrevTopic, Topic: e.Topic, PrevChannel: key(e.PrevStream),
			Channel: key(e.Stream),
		}
		if one.PrevTopic == nil {
			one.PrevTopic = e.PrevSubject
		}
		if e.PrevContent != nil {
			before := t.convert(*e.PrevContent)
			one.PrevContent, edited = &before, e.At.Time
		}
		if one.PrevTopic != nil || one.PrevChannel != "" {
			out.Moved = e.At.Time
		}
		out.Edits = append(out.Edits, one)
	}
	if len(out.Edits) > 0 {
		out.Edited = edited
	}
}
