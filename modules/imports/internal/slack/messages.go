package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// orphaned stands at the beginning of a thread without its first message.
const orphaned = "(start of the thread is not in the archive)"

// Messages implements importing.Source.
func (s *source) Messages(ctx context.Context, to importing.Sink) error {
	if err := s.scan(ctx); err != nil {
		return err
	}
	before := "" // the thread of the message before
	var in *conversation
	err := s.each(ctx, func(c *conversation, at string, m *message, err error) error {
		if in != c {
			in, before = c, ""
		}
		if err != nil {
			why := "malformed"
			if damage := new(damageError); errors.As(err, &damage) {
				why = "its file is damaged: the rest of it cannot be read"
			}
			s.Report.Count(importing.Messages, importing.Refused, why, at+": "+err.Error())
			return nil
		}
		one := s.message(c, at, m, before)
		if one == nil {
			return nil
		}
		before = first(m.ThreadTS.s(), m.TS.s())
		return to.Message(one)
	})
	if err != nil {
		return err
	}
	for _, c := range s.conversations {
		if err := s.notices(c, to); err != nil {
			return err
		}
	}
	return nil
}

// message converts a message, or counts it and returns nil. before is the thread of the message before it.
func (s *source) message(c *conversation, at string, m *message, before string) *importing.Message {
	why := m.skip()
	if why == "" && c.deleted[m.TS.s()] {
		why = "deleted later"
	}
	if why == "" && m.blank() {
		why = "empty"
	}
	if why != "" {
		s.Report.Count(importing.Messages, importing.Skipped, why, at)
		return nil
	}
	sent, err := importing.Seconds(m.TS.s())
	if err != nil {
		s.Report.Count(importing.Messages, importing.Refused, "has no valid time", at+": "+err.Error())
		return nil
	}
	out := &importing.Message{Key: messageKey(c.ID.s(), m.TS.s()), Sent: sent}
	out.Sender, out.SenderIs = s.author(m)
	if c.direct {
		out.People = c.people()
		if len(out.People) == 0 {
			out.People = []importing.Key{out.Sender}
		}
	} else {
		out.Channel = c.key()
	}
	if now := c.changed[m.TS.s()]; now != nil {
		m = changed(m, now)
	}
	conv := s.converter()
	body := render(conv.content(m))
	for _, f := range m.allFiles() {
		body = joined(body, render(f.show()))
	}
	if via := s.via(m, out.Sender); via != "" {
		body = "(via " + escape(via, false) + ") " + body
	}
	switch {
	case m.grey():
		body = "/me " + body
	case strings.HasPrefix(body, "/me "):
		body = "&#47;" + body[1:]
	}
	out.Topic, body = s.place(c, m, sent, body, before)
	out.Content = body
	out.Edited, _ = importing.Seconds(m.Edited.get().TS.s())
	out.Edits = m.edits(out)
	var missing int64
	if out.Reactions, missing = s.set().reactions(m.Reactions); missing > 0 {
		s.Report.Add(importing.Reactions, importing.Skipped, missing, "its person is not listed", string(out.Key))
	}
	if !m.known() {
		conv.lose(fmt.Sprintf("of the unknown subtype %.40s", m.Subtype))
	}
	if conv.lost != "" {
		out.Loss = &importing.Loss{Reason: conv.lost, Where: at}
	}
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// changed returns a message with the content that it has now.
func changed(m, now *message) *message {
	one := *m
	one.Text, one.Blocks, one.Attachments = now.Text, now.Blocks, now.Attachments
	one.Files, one.Edited = now.Files, now.Edited
	if one.Previous.v == nil && m.Text != now.Text {
		one.Previous.v = &struct{ Text text }{m.Text}
	}
	return &one
}

// edits returns the text before an edit, if the export contains it.
func (m *message) edits(out *importing.Message) []importing.Edit {
	for _, was := range []object[struct{ Text text }]{m.Previous, m.Original} {
		if text := was.get().Text.s(); text != "" && text != m.Text.s() {
			if out.Edited.IsZero() {
				out.Edited = out.Sent
			}
			by := importing.Key(first(m.Edited.get().User.s(), string(out.Sender)))
			return []importing.Edit{{By: by, At: out.Edited, PrevContent: &text}}
		}
	}
	return nil
}

// place returns the topic of a message, and its text with what leads to its thread.
func (s *source) place(c *conversation, m *message, sent time.Time, body, before string) (string, string) {
	root := m.ThreadTS.s()
	isReply := root != "" && root != m.TS.s()
	t := c.threads[first(root, m.TS.s())]
	inline := s.Options.Threads == "inline"
	switch {
	case c.direct && isReply && before != root:
		link := "(reply in a thread whose start is not in the archive)"
		if t != nil && t.root {
			link = "[In reply to](" + importing.MessageLink(messageKey(c.ID.s(), root), "") + ")"
		}
		return "", joined(link, body)
	case c.direct:
		return "", body
	case inline && isReply:
		link := orphaned
		if t != nil && t.root {
			link = importing.MessageLink(messageKey(c.ID.s(), root), orphaned)
		}
		return s.mainTopic(sent), joined("> "+link, body)
	case inline || t == nil:
		return s.mainTopic(sent), body
	case !t.root && t.reply == m.TS.s():
		body = joined(orphaned, body)
	}
	return t.topic, body
}
