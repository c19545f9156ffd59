package readstate_test

import (
	"math/rand/v2"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
)

// mutation disables one rule.
type mutation int

const (
	none mutation = iota
	unmuteKeepsFloor
	muteKeepsUnread
	muteKeepsOld
	mutesIgnored
	movesIgnored
	protectedTargetIgnored
	readForIgnored
	noticesIgnored
	unsubscribeKeepsOld
	markReadKeepsOld
	markAllKeepsOld
	moveKeepsFlags
	periodsNeverClose
	periodsReopen
	periodsFromStart
	endOfMessagesLost
	endOfSeqLost
	startOfSeqLost
	readAboveLost
	advanceBlindly
	touchedNotKept
	policyShowsLater
	mutations
)

func (m mutation) String() string {
	return [...]string{"none", "unmute keeps floor", "mute keeps unread", "mute keeps old-unread",
		"mutes ignored", "moves ignored", "protected target ignored", "read_for ignored", "notices ignored",
		"unsubscribe keeps old-unread", "mark read keeps old-unread", "mark all keeps old-unread", "move keeps flags",
		"periods never close", "periods reopen", "periods from the start", "to_msg lost", "to_seq lost", "from_seq lost",
		"read above the floor lost", "advance blindly", "touched not kept", "a policy shows later"}[m]
}

// person holds the stored state of one user.
type person struct {
	own    readstate.Inbox
	state  readstate.State
	flags  map[message.ID]message.Flag
	muted  user.Set
	floor  message.ID // the floor after the last check
	chunks map[readstate.Chunk][2]readstate.IDs
}

// store applies the rules to maps, as the real store does to tables.
type store struct {
	readstatetest.Fixture
	r      *rand.Rand
	broken mutation
	people map[user.ID]*person
	facts  map[message.ID]readstate.Message
	head   message.ID
	seq    int64
}

func newStore(w readstatetest.Fixture, r *rand.Rand, m mutation) *store {
	s := &store{Fixture: w, r: r, broken: m, people: map[user.ID]*person{}, facts: map[message.ID]readstate.Message{}}
	for _, u := range w.People {
		p := &person{flags: map[message.ID]message.Flag{}, chunks: map[readstate.Chunk][2]readstate.IDs{}}
		for d, who := range w.Direct {
			if who.Has(u) {
				p.own.Direct = p.own.Direct.Union(idset.Of(d))
			}
		}
		s.people[u] = p
	}
	return s
}

func (s *store) nextID(r *rand.Rand) message.ID {
	s.head += message.ID(1 + r.IntN(3))
	if r.IntN(12) == 0 {
		s.head += 40_000
	}
	return s.head
}

func (s *store) reader(u user.ID) *readstate.Reader {
	p := s.people[u]
	r := &readstate.Reader{User: u, Own: p.own, Muted: p.muted, Quiet: s.Quiet.Has(u)}
	if s.broken == mutesIgnored {
		r.Muted = nil
	}
	if s.broken == noticesIgnored {
		r.Quiet = false
	}
	return r
}

func (s *store) fact(id message.ID) readstate.Message {
	m := s.facts[id]
	switch s.broken {
	case movesIgnored:
		m.Moves = nil
	case readForIgnored:
		m.ReadFor = 0
	case protectedTargetIgnored:
		m.Moves = slices.Clone(m.Moves)
		for i := range m.Moves {
			m.Moves[i].ToProtected = false
		}
	}
	return m
}

func (s *store) all() []readstate.Message {
	out := make([]readstate.Message, 0, len(s.facts))
	for id := range s.facts {
		out = append(out, s.fact(id))
	}
	slices.SortFunc(out, func(a, b readstate.Message) int { return int(a.ID - b.ID) })
	return out
}

// advance raises the floor. Marks can raise it by any amount.
func (s *store) advance(u user.ID, to message.ID) {
	between := s.all()
	if s.broken == advanceBlindly {
		between = nil
	}
	s.reader(u).Advance(&s.people[u].state, to, between)
}

func (s *store) clear(p *person, ids readstate.IDs, bits message.Flag) {
	for _, id := range ids {
		if p.flags[id] &^= bits; p.flags[id] == 0 {
			delete(p.flags, id)
		}
	}
}

// old returns the user's messages with the OldUnread bit for which is returns true.
func (p *person) old(s *store, is func(readstate.Message) bool) (ids readstate.IDs) {
	for id, f := range p.flags {
		if f&message.OldUnread != 0 && is(s.fact(id)) {
			ids = append(ids, id)
		}
	}
	return idset.Of(ids...)
}

func (s *store) unread(u user.ID, is func(readstate.Message) bool) (ids []message.ID) {
	p, r := s.people[u], s.reader(u)
	for _, m := range s.all() {
		if is(m) && r.Unread(&p.state, m, p.flags[m.ID]&message.OldUnread != 0) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func (s *store) marked(p *person, ids []message.ID) (out []readstate.Marked) {
	for _, id := range ids {
		out = append(out, readstate.Marked{Message: s.fact(id), Old: p.flags[id]&message.OldUnread != 0})
	}
	return out
}

// save writes the chunks that a step has changed.
func (p *person) save(before readstate.State) {
	for _, c := range before.Chunks(&p.state) {
		p.chunks[c] = [2]readstate.IDs{c.Cut(p.state.Unread), c.Cut(p.state.Read)}
	}
}
