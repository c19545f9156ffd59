package readstate_test

import (
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
)

func (s *store) apply(step readstatetest.Step) (out readstatetest.Outcome) {
	before := s.seq // a subscription starts or ends after this position
	s.seq++
	p := s.people[step.User]
	state := p.state
	defer func() { p.save(state) }()
	switch step.Op {
	case readstatetest.Send:
		m := step.Message
		s.facts[m.ID] = readstate.Message{ID: m.ID, Recipient: m.Recipient, Sender: m.Sender, ReadFor: m.ReadFor,
			Notice: m.Notice}
	case readstatetest.Subscribe:
		s.subscribe(p, step.Channel, before)
	case readstatetest.Unsubscribe:
		in := func(m readstate.Message) bool { return m.Recipient == step.Channel }
		out.Changed = s.unread(step.User, in)
		s.unsubscribe(p, step.Channel, before)
		if s.broken != unsubscribeKeepsOld {
			s.clear(p, p.old(s, in), message.OldUnread)
		}
	case readstatetest.Mute:
		by := func(m readstate.Message) bool { return m.Sender == step.Other }
		out.Changed = s.unread(step.User, by)
		if s.broken != muteKeepsUnread {
			p.state.Forget(out.Changed)
		}
		if s.broken != muteKeepsOld {
			s.clear(p, p.old(s, by), message.OldUnread)
		}
		p.muted = p.muted.Union(idset.Of(step.Other))
	case readstatetest.Unmute:
		if s.broken != unmuteKeepsFloor {
			s.advance(step.User, s.head)
		}
		p.muted = p.muted.Minus(idset.Of(step.Other))
	case readstatetest.MarkRead, readstatetest.MarkUnread:
		out = s.mark(p, step)
	case readstatetest.MarkAll:
		p.state.MarkAll(s.head)
		if s.broken != markAllKeepsOld {
			s.clear(p, p.old(s, func(readstate.Message) bool { return true }), message.OldUnread)
		}
	case readstatetest.Star, readstatetest.Unstar:
		out.Changed = s.star(p, step)
	case readstatetest.Move:
		for _, id := range step.IDs {
			s.move(id, step.Channel)
		}
	case readstatetest.Policy:
		if s.broken != policyShowsLater {
			for _, id := range s.reader(step.User).FreezeNotices(&p.state, s.all()) {
				p.flags[id] |= message.OldUnread
			}
		}
		s.Toggle(step.User)
	case readstatetest.Delete:
		for _, id := range step.IDs {
			delete(s.facts, id)
			for _, p := range s.people {
				delete(p.flags, id)
			}
		}
	}
	return out
}

func (s *store) subscribe(p *person, c message.Recipient, before int64) {
	ps := p.own.Periods
	if had := p.own.In(c); s.broken == periodsReopen && len(had) > 0 {
		i := slices.Index(ps, had[len(had)-1])
		p.own.Periods = slices.Clone(ps)
		p.own.Periods[i].ToMsg, p.own.Periods[i].ToSeq = 0, 0
		return
	}
	open := readstate.Period{Recipient: c, FromMsg: s.head, FromSeq: before}
	switch s.broken {
	case periodsFromStart:
		open.FromMsg = 0
	case startOfSeqLost:
		open.FromSeq = -1
	}
	p.own.Periods = append(slices.Clone(ps), open)
	p.own.Sort()
}

func (s *store) unsubscribe(p *person, c message.Recipient, before int64) {
	p.own.Periods = slices.Clone(p.own.Periods)
	for i := range p.own.Periods {
		if q := &p.own.Periods[i]; q.Recipient == c && q.Open() && s.broken != periodsNeverClose {
			q.ToMsg, q.ToSeq = s.head, max(before, 1)
			switch s.broken {
			case endOfMessagesLost:
				q.ToMsg = 1 << 60
			case endOfSeqLost:
				q.ToSeq = 1 << 60
			}
		}
	}
}

func (s *store) mark(p *person, step readstatetest.Step) (out readstatetest.Outcome) {
	if s.r.IntN(3) > 0 && s.head > p.state.Floor { // not up to the head, as for a user who was away for long
		s.advance(step.User, p.state.Floor+1+message.ID(s.r.IntN(int(s.head-p.state.Floor))))
	}
	r, ms := s.reader(step.User), s.marked(p, step.IDs)
	if step.Op == readstatetest.MarkRead {
		changed, old := r.MarkRead(&p.state, slices.Values(ms))
		if s.broken != markReadKeepsOld {
			s.clear(p, old, message.OldUnread)
		}
		if s.broken == readAboveLost {
			p.state.Read = nil
		}
		out.Changed = changed
		return out
	}
	changed, set, skipped := r.MarkUnread(&p.state, ms)
	for _, id := range set {
		p.flags[id] |= message.OldUnread
	}
	for _, m := range ms { // marking a message that was not received adds a row
		if slices.Contains(changed, m.ID) && !r.Own.Received(m.Message) && s.broken != touchedNotKept {
			p.flags[m.ID] |= message.Touched
		}
	}
	for _, m := range skipped {
		out.Skipped = append(out.Skipped, m.Recipient)
	}
	out.Changed, out.Skipped = changed, idset.Of(out.Skipped...)
	return out
}

func (s *store) star(p *person, step readstatetest.Step) (changed []message.ID) {
	r := s.reader(step.User)
	for _, id := range step.IDs {
		on := step.Op == readstatetest.Star
		if on == (p.flags[id]&message.Starred != 0) {
			continue
		}
		changed = append(changed, id)
		if !on {
			s.clear(p, readstate.IDs{id}, message.Starred)
			continue
		}
		p.flags[id] |= message.Starred
		if !r.Own.Received(s.fact(id)) && s.broken != touchedNotKept {
			p.flags[id] |= message.Touched
		}
	}
	return changed
}

// move moves a message: the message row, one move row, and the flag rows of users who lose it.
func (s *store) move(id message.ID, to message.Recipient) {
	m := s.facts[id]
	from := m.Recipient
	m.Moves = append(slices.Clone(m.Moves),
		readstate.Move{Message: id, Seq: s.seq, From: from, To: to, ToProtected: s.Protected[to]})
	m.Recipient = to
	s.facts[id] = m
	for _, p := range s.people {
		if len(p.own.In(from)) > 0 && !p.own.Current(to) && s.broken != moveKeepsFlags {
			delete(p.flags, id)
		}
	}
}
