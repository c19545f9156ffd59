package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/importing"
)

// sink receives the messages of a source, checks them, and keeps them in files.
type sink struct {
	*task
	ctx context.Context
}

// perReport is the number of messages between two reports of progress.
const perReport = 5000

var _ importing.Sink = (*sink)(nil)

// Message implements importing.Sink.
func (s *sink) Message(m *importing.Message) error {
	one := *m
	if now := s.Clock.Now(); one.Sent.After(now) && importing.CheckTime(one.Sent, now) == nil { // by clocks that differ
		one.Sent = now
	}
	if outcome, why := s.check(&one); why != "" {
		s.report.Count(importing.Messages, outcome, why, string(m.Key))
		return nil
	}
	one.Content = importing.CleanTextKeepingReferences(one.Content)
	parts := importing.SplitMessage(one.Content)
	if len(parts) == 0 {
		s.report.Count(importing.Messages, importing.Skipped, "empty", string(m.Key))
		return nil
	}
	s.complete(&one)
	earliest(s.firstBy, one.Sender, one.Sent)
	earliest(s.firstIn, one.Channel, one.Sent)
	if len(parts) > 1 && one.Loss == nil {
		one.Loss = &importing.Loss{Reason: "longer than a message can be; split", Where: string(m.Key)}
	}
	s.report.Passed(importing.Messages, one.Loss)
	s.meter.add(1, int64(len(one.Content)))
	if s.passed++; s.passed%perReport == 0 {
		if err := s.progressOf(s.ctx, "read messages", s.passed); err != nil {
			return err
		}
	}
	for i, part := range parts {
		one.Content = part
		if i > 0 {
			one.Key, one.Part, one.Loss = importing.Key(fmt.Sprintf("%s/%d", m.Key, i+1)), true, nil
			one.Edits, one.Reactions, one.Widgets = nil, nil, nil
			one.Sequence++
		}
		if err := s.messages.add(&one); err != nil {
			return err
		}
	}
	return nil
}

// check returns why a message is not imported, or "".
func (s *sink) check(m *importing.Message) (importing.Outcome, string) {
	if m.Key == "" || m.Sender == "" {
		return importing.Refused, "has no key or no sender"
	}
	if err := importing.CheckTime(m.Sent, s.Clock.Now()); err != nil {
		return importing.Refused, err.Error()
	}
	if m.Channel != "" {
		if _, ok := s.channelNames()[m.Channel]; !ok {
			return importing.Refused, "belongs to no channel of the archive"
		}
	} else if len(m.People) == 0 {
		return importing.Refused, "has no receivers"
	}
	o := s.Options
	switch {
	case !o.Within(m.Sent):
		return importing.Skipped, "sent before --since or after --until"
	case m.Channel == "" && o.NoDirect:
		return importing.Skipped, "direct messages are left out (--no-direct)"
	case m.Channel != "" && o.Channels != nil && !slices.Contains(o.Channels, s.channelNames()[m.Channel]):
		return importing.Skipped, "in a channel that is left out (--channels)"
	}
	return "", ""
}

// complete replaces merged people, and drops what concerns nobody.
func (s *sink) complete(m *importing.Message) {
	m.Sender = s.person(m.Sender)
	if !s.known(m.Sender) {
		s.missing[m.Sender] = cmp.Or(s.missing[m.Sender], m.SenderIs)
	}
	m.SenderIs = ""
	m.Starred, m.Unread = s.knownOf(m.Starred), s.knownOf(m.Unread)
	if m.Channel == "" {
		m.People = importing.Keys(append(m.People, m.Sender), s.same)
		for _, p := range m.People {
			if !s.known(p) {
				s.missing[p] = cmp.Or(s.missing[p], "")
			}
		}
	}
	type reaction struct {
		by   importing.Key
		name string
		code string
	}
	seen := map[reaction]bool{}
	m.Reactions = slices.DeleteFunc(slices.Clone(m.Reactions), func(e importing.Emote) bool {
		e.By = s.person(e.By)
		r := reaction{e.By, e.Name, cmp.Or(e.Code, string(e.Custom))}
		switch {
		case !s.known(e.By):
			s.report.Count(importing.Reactions, importing.Skipped, "by somebody who is not in the archive", string(m.Key))
			return true
		case seen[r]:
			s.report.Count(importing.Reactions, importing.Skipped, "given twice", string(m.Key))
			return true
		}
		seen[r] = true
		return false
	})
	for i := range m.Reactions {
		m.Reactions[i].By = s.person(m.Reactions[i].By)
	}
	for i := range m.Edits {
		m.Edits[i].By = s.person(m.Edits[i].By)
	}
	for i := range m.Widgets {
		m.Widgets[i].By = s.person(m.Widgets[i].By)
	}
}

// State implements importing.Sink.
func (s *sink) State(x *importing.State) error {
	one := *x
	if one.Person = s.person(one.Person); !s.known(one.Person) {
		s.report.Count(importing.States, importing.Skipped, "of somebody who is not in the archive", string(x.Message))
		return nil
	}
	s.report.Passed(importing.States, nil)
	return s.states.add(&one)
}

// person returns the key of the person with whom another was merged.
func (t *task) person(k importing.Key) importing.Key { return cmp.Or(t.same[k], k) }

// known reports whether a person is in the archive.
func (t *task) known(k importing.Key) bool { return t.people[k] }

func (t *task) knownOf(all []importing.Key) []importing.Key {
	return slices.DeleteFunc(importing.Keys(all, t.same), func(k importing.Key) bool { return !t.known(k) })
}

func (t *task) channelNames() map[importing.Key]string { return t.channels }
