package slack

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/topic"
)

// thread is a thread: a message and the replies to it.
type thread struct {
	ts      string // of the first message
	topic   string
	replies int
	at      time.Time // of the first reply
	reply   string    // the ts of the first reply
	root    bool      // the first message is in the export
	author  importing.Key
	name    string // the author's
	title   string // of the first message; without one, of the first reply
}

// scan reads all messages to find threads, apps, and when people wrote for the first time.
func (s *source) scan(ctx context.Context) error {
	if s.scanned {
		return nil
	}
	if err := s.lookUp(ctx); err != nil {
		return err
	}
	for _, c := range s.conversations {
		late := false
		if err := s.eachOf(ctx, c, func(c *conversation, _ string, m *message, err error) error {
			if err == nil {
				late = s.survey(c, m) || late
			}
			return nil
		}); err != nil {
			return err
		}
		if late { // first messages that do not say that they are
			if err := s.eachOf(ctx, c, func(c *conversation, _ string, m *message, err error) error {
				if t := c.threads[m.ts()]; err == nil && t != nil && !t.root && s.passes(m) {
					s.begin(t, m)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		s.nameThreads(c)
	}
	s.scanned = true
	return nil
}

// ts returns the time of a message as its ID, also if there is no message.
func (m *message) ts() string {
	if m == nil {
		return ""
	}
	return m.TS.s()
}

// passes reports whether a message is imported, as far as its time and subtype go.
func (s *source) passes(m *message) bool {
	at, err := importing.Seconds(m.TS.s())
	return err == nil && importing.CheckTime(at, s.Now) == nil && s.Options.Within(at) && m.skip() == "" && !m.blank()
}

// survey notes what has to be known of a message before any is passed on. late reports that a thread's first message
// has to be looked for again.
func (s *source) survey(c *conversation, m *message) (late bool) {
	s.surveyChange(c, m)
	for _, to := range m.PinnedTo {
		if to == c.ID {
			c.pinned[m.TS.s()] = true
		}
	}
	if !s.passes(m) {
		return false
	}
	at, _ := importing.Seconds(m.TS.s()) // passes has checked it
	if c.first.IsZero() || at.Before(c.first) {
		c.first = at
	}
	if at.After(c.last) {
		c.last = at
	}
	s.surveyAuthor(m, at)
	root := m.ThreadTS.s()
	switch {
	case root == "" || root == m.TS.s():
		if root != "" || m.ReplyCount > 0 || c.threads[m.TS.s()] != nil {
			s.begin(c.thread(m.TS.s()), m)
		}
	default:
		t := c.thread(root)
		t.replies++
		if t.at.IsZero() || at.Before(t.at) {
			t.at, t.reply = at, m.TS.s()
			if !t.root {
				t.title = s.title(m)
			}
		}
		return !t.root
	}
	return false
}

func (c *conversation) thread(ts string) *thread {
	t := c.threads[ts]
	if t == nil {
		t = &thread{ts: ts}
		c.threads[ts] = t
	}
	return t
}

// begin notes the first message of a thread.
func (s *source) begin(t *thread, m *message) {
	t.root, t.title = true, s.title(m)
	t.author, t.name = s.author(m)
}

// title returns the first line of a message as the name of a topic.
func (s *source) title(m *message) string {
	c := s.converter()
	if title := importing.TopicName(plainParts(c.content(m))); title != "" {
		return title
	}
	for _, f := range m.allFiles() {
		if title := importing.TopicName(f.name()); title != "" {
			return title
		}
	}
	at, _ := importing.Seconds(m.TS.s())
	return "Thread of " + at.Format(time.DateOnly)
}

// nameThreads gives threads with replies their topics, and forgets the others. Threads are named in the order of their
// first replies, so that a later export, which has more of them, gives the earlier ones the same names.
func (s *source) nameThreads(c *conversation) {
	maps.DeleteFunc(c.threads, func(_ string, t *thread) bool { return t.replies == 0 })
	if c.direct {
		return
	}
	names := importing.NewNames(topic.MaxLength, topic.Key, s.mainTopic(time.Time{}), pinnedTopic)
	for _, t := range slices.SortedFunc(maps.Values(c.threads), func(a, b *thread) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.ts, b.ts))
	}) {
		t.topic = names.Take(t.title)
	}
}

// mainTopic returns the topic of messages that are in no thread.
func (s *source) mainTopic(at time.Time) string {
	if !at.IsZero() {
		switch s.Options.Split {
		case "year":
			return at.Format("2006")
		case "month":
			return at.Format("2006-01")
		}
	}
	return cmp.Or(importing.TopicName(s.Options.MainTopic), "imported from Slack")
}

// surveyChange notes changes that are listed as messages.
func (s *source) surveyChange(c *conversation, m *message) {
	switch m.Subtype {
	case "message_changed":
		if raw := m.Message.v; raw != nil {
			if now, err := decode(*raw); err == nil && now.TS != "" {
				c.changed[now.TS.s()] = now
			}
		}
	case "message_deleted":
		if m.DeletedTS != "" {
			c.deleted[m.DeletedTS.s()] = true
		}
	}
}

// surveyAuthor notes when people wrote for the first time, and apps that are in no list.
func (s *source) surveyAuthor(m *message, at time.Time) {
	k, name := s.author(m)
	if p := s.people[string(k)]; p != nil {
		if p.joined.IsZero() || at.Before(p.joined) {
			p.joined = at
		}
		return
	}
	if bot := m.bot(); bot != "" && string(k) == bot {
		s.bots[bot] = bot
		if s.appNames[bot] == "" {
			s.appNames[bot] = first(name, "Bot "+bot)
		}
	}
}
