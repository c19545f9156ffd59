package slack

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// pinnedTopic is the topic of the list of pinned messages.
const pinnedTopic = "pinned"

// notices passes on what stands in a channel about its threads and pinned messages.
func (s *source) notices(c *conversation, to importing.Sink) error {
	if !c.direct && s.Options.Threads != "inline" {
		for _, ts := range slices.Sorted(maps.Keys(c.threads)) {
			if m := s.started(c, c.threads[ts]); m != nil {
				if err := to.Message(m); err != nil {
					return err
				}
			}
		}
	}
	return s.pins(c, to)
}

// started says in the main topic where a thread is.
func (s *source) started(c *conversation, t *thread) *importing.Message {
	at, err := importing.Seconds(t.ts)
	if err != nil || !t.root {
		return nil
	}
	name := cmp.Or(s.converter().person(string(t.author)), t.name, s.appNames[string(t.author)], string(t.author))
	replies := "1 reply"
	if t.replies != 1 {
		replies = fmt.Sprintf("%d replies", t.replies)
	}
	return &importing.Message{
		Key: messageKey(c.ID.s(), t.ts) + "/thread", Channel: c.key(), Topic: s.mainTopic(at), Sender: notifier, Sent: at,
		Content: fmt.Sprintf("%s started %s (%s).", importing.SilentMention(t.author, escape(name, true)),
			importing.TopicLink(c.key(), t.topic, escape(t.topic, false)), replies),
	}
}

// pins passes on a list of the pinned messages. It follows them all, so that its links lead somewhere.
func (s *source) pins(c *conversation, to importing.Sink) error {
	for _, p := range c.Pins {
		if p.Type == "C" || p.Type == "message" || p.Type == "" {
			c.pinned[p.ID.s()] = true
		} else {
			s.Report.Count(importing.Others, importing.Skipped, "a pin of something else than a message", p.ID.s())
		}
	}
	all := slices.Sorted(maps.Keys(c.pinned))
	switch {
	case len(all) == 0 || c.last.IsZero():
		return nil
	case c.direct || s.Options.NoPins:
		s.Report.Add(importing.Others, importing.Skipped, int64(len(all)), "pins, left out", c.ID.s())
		return nil
	}
	var b strings.Builder
	b.WriteString("Pinned in Slack:\n")
	for _, ts := range all {
		b.WriteString("\n* " + importing.MessageLink(messageKey(c.ID.s(), ts), "(a message that is not in the archive)"))
	}
	return to.Message(&importing.Message{
		Key: importing.Key(c.ID.s() + "/pinned"), Channel: c.key(), Topic: pinnedTopic, Sender: notifier, Sent: c.last,
		Sequence: 1 << 40, Content: b.String(),
	})
}
