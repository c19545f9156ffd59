package mattermost

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// writer passes on messages.
type writer struct {
	*source
	to       importing.Sink
	sequence int64
	pins     map[importing.Key][]importing.Key // by channel
	pinned   map[importing.Key]time.Time       // when the last of them was sent
}

// Messages implements importing.Source.
func (s *source) Messages(ctx context.Context, to importing.Sink) error {
	w := &writer{source: s, to: to, pins: map[importing.Key][]importing.Key{}, pinned: map[importing.Key]time.Time{}}
	err := s.posts(ctx, w.post, func(o importing.Outcome, why, where string) {
		s.Report.Count(importing.Messages, o, why, where)
	})
	if err != nil || s.Options.NoPins {
		return err
	}
	for _, c := range slices.Sorted(maps.Keys(w.pins)) {
		text := "Pinned in Mattermost:"
		for _, k := range w.pins[c] {
			text += "\n* " + importing.MessageLink(k, "a message that was not imported")
		}
		if err := w.notice(importing.Key("pinned/"+string(c)), c, pinnedTopic, w.pinned[c], text); err != nil {
			return err
		}
	}
	return nil
}

// notice passes on a message of the notification bot.
func (w *writer) notice(k, channel importing.Key, topic string, at time.Time, text string) error {
	w.sequence++
	return w.to.Message(&importing.Message{
		Key: k, Channel: channel, Topic: topic, Sender: notifier, Sent: at, Sequence: w.sequence, Content: text,
	})
}

// post passes on a post and its replies.
func (w *writer) post(p *post) error {
	w.Report.Malformed(importing.Messages, p.Replies.Bad, p.where)
	at := importing.Milliseconds(p.CreateAt)
	topic := ""
	if p.channel != "" {
		topic = w.Options.Main(mainTopic, at)
		if p.topic != "" {
			text := importing.ThreadNotice(personKey(p.User), p.User, p.channel, p.topic, len(p.Replies.All))
			if err := w.notice(p.key+"/started", p.channel, topic, at, text); err != nil {
				return err
			}
			topic = p.topic
		}
	}
	if err := w.message(p, &p.postLine, p.key, topic, ""); err != nil {
		return err
	}
	keys := replyKeys(p)
	for i := range p.Replies.All {
		r, before := &p.Replies.All[i], ""
		if p.topic == "" {
			before = quote(p)
			if p.channel != "" {
				topic = w.Options.Main(mainTopic, importing.Milliseconds(r.CreateAt))
			}
		}
		if err := w.message(p, r, keys[i], topic, before); err != nil {
			return err
		}
	}
	return nil
}

// quote returns the line before a reply that is not in the topic of its thread.
func quote(p *post) string {
	link := importing.MessageLink(p.key, "a message that was not imported")
	if p.channel == "" {
		return "> [In reply to](" + link + ")\n\n"
	}
	return "> In reply to " + link + "\n\n"
}

// message passes on a post or a reply to p.
func (w *writer) message(p *post, l *postLine, k importing.Key, topic, before string) error {
	where := fmt.Sprintf("%s %s", p.where, k)
	c := w.content(l)
	if c.skip != "" {
		w.Report.Count(importing.Messages, importing.Skipped, c.skip, where)
		return nil
	}
	for range c.dropped {
		w.Report.Count(importing.Others, importing.Skipped, "a property of a post without an equivalent", where)
	}
	links, missing := w.attached(l)
	m := &importing.Message{
		Key: k, Channel: p.channel, People: p.people, Topic: topic, Sender: personKey(l.User),
		SenderIs: importing.CleanText(l.User), Sent: importing.Milliseconds(l.CreateAt),
		Content: join("\n\n", c.text, strings.Join(links, "\n")), Starred: personKeys(l.FlaggedBy),
		Unread: w.unread(p, l, topic != "" && topic == p.topic),
	}
	if m.Content != "" {
		m.Content = before + m.Content
	}
	for _, name := range missing {
		w.Report.Count(importing.Files, importing.Refused, "is missing in the archive", importing.CleanText(name))
	}
	if len(missing) > 0 {
		m.Loss = &importing.Loss{Reason: "a file of it is missing in the archive", Where: where}
	} else if c.lost != "" {
		m.Loss = &importing.Loss{Reason: c.lost, Where: where}
	}
	if l.EditAt > 0 {
		m.Edited = importing.Milliseconds(l.EditAt)
	}
	w.Report.Malformed(importing.Reactions, l.Reactions.Bad, where)
	w.Report.Malformed(importing.Files, l.Attachments.Bad, where)
	w.Report.Malformed(importing.Policies, l.Followers.Bad, where)
	for _, r := range l.Reactions.All {
		m.Reactions = append(m.Reactions, w.reaction(r))
	}
	if l.Pinned {
		w.pin(p, k, m.Sent)
	}
	w.sequence++
	m.Sequence = w.sequence
	return w.to.Message(m)
}

// unread returns who has not read a post or a reply to p. thread: it stands in the topic of the thread.
func (w *writer) unread(p *post, l *postLine, thread bool) []importing.Key {
	var followers []followerLine
	if thread && l != &p.postLine {
		followers = p.Followers.All
	}
	return w.views[p.conversation].unread(l.CreateAt, personKey(l.User), followers)
}

func (w *writer) pin(p *post, k importing.Key, at time.Time) {
	if p.channel == "" {
		w.Report.Count(importing.Others, importing.Skipped, "messages cannot be pinned in direct conversations", string(k))
		return
	}
	w.pins[p.channel] = append(w.pins[p.channel], k)
	if at.After(w.pinned[p.channel]) {
		w.pinned[p.channel] = at
	}
}

func (w *writer) reaction(r reactionLine) importing.Emote {
	e := importing.Emote{By: personKey(r.User), Name: importing.CleanText(r.Emoji)}
	if w.emoji[r.Emoji] != nil {
		e.Custom = emojiKey(r.Emoji)
		return e
	}
	if !w.unicode(e.Name) {
		e.Name, _ = splitTone(e.Name)
	}
	e.Code, _ = w.EmojiCode(e.Name)
	return e
}
