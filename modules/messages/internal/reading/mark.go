package reading

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// maxMarks is how many changes of read state share a transaction with other people's sends.
const maxMarks = 64

// mark is one change of flags that waits for the realm's writer.
type mark struct {
	By      user.ID
	Realm   realm.ID
	Op      op
	Flag    message.Flag // star and unstar: which bit
	Name    string       // of the flag, on the wire
	IDs     idset.Set[message.ID]
	Known   []fact           // of read: read before the lock
	Muting  readstate.Muting // of unread: what the person had muted when they asked
	Quiet   bool             // no event when nothing has changed
	Lenient bool             // what is not there to be marked is left out

	Changed []message.ID // result: whose flag was another, ascending
	Skipped channel.Set  // result: of unread
}

type op int8

const (
	opRead op = iota
	opReadAll
	opUnread
	opStar // or collapse
	opUnstar
)

// submit writes the mark, together with what others do at the same time. Errors: BadRequest "Invalid message(s)".
func (s *Service) submit(ctx context.Context, m *mark) error {
	in := &ports.Intent{Kind: s.marks, Value: m, Size: 16 * len(m.IDs), Alone: len(m.IDs) > 5*block}
	return s.needs.Writer.Submit(ctx, m.Realm, m.By, in)
}

// batch is what the marks of one transaction work on.
type batch struct {
	v       *directory.View
	head    message.ID
	people  map[user.ID]*person
	facts   map[message.ID]fact
	flags   map[mine]message.Flag // as they are by now
	dirty   map[mine]bool
	members map[message.Recipient]user.Set
}

// write does all marks of a batch, in order: everything is read first, for all of them, and written last.
func (s *Service) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	b, err := s.load(ctx, v, in)
	if err != nil {
		return nil, err
	}
	var events []event.Event
	var cleared, read []user.ID
	for _, i := range in {
		m := i.Value.(*mark)
		m.Changed, m.Skipped, i.Err = nil, nil, nil
		if i.Err = b.check(m); i.Err != nil {
			continue
		}
		switch m.Op {
		case opRead:
			b.read(m)
			read = append(read, m.By)
		case opReadAll:
			b.readAll(m)
			cleared, read = append(cleared, m.By), append(read, m.By)
		case opUnread:
			b.unread(m)
		default:
			b.star(m)
		}
		if !m.Quiet || len(m.Changed) > 0 {
			events = append(events, b.event(m))
		}
	}
	if err := s.flush(ctx, b, cleared); err != nil {
		return nil, err
	}
	if len(read) > 0 {
		err = s.needs.Hooks.Run(ctx, &message.Read{Realm: v.Realm().ID, Users: idset.Of(read...)})
	}
	return events, err
}

func (s *Service) load(ctx context.Context, v *directory.View, in []*ports.Intent) (*batch, error) {
	b := &batch{v: v, facts: map[message.ID]fact{}, dirty: map[mine]bool{}}
	var r realm.ID
	var ask, all []message.ID
	marked := map[user.ID][]message.Recipient{}
	for _, i := range in {
		m := i.Value.(*mark)
		r, all, marked[m.By] = m.Realm, append(all, m.IDs...), nil
		if m.Op != opRead {
			ask = append(ask, m.IDs...)
		}
		for _, f := range m.Known {
			b.facts[f.ID] = f
		}
	}
	all = idset.Of(all...)
	got, err := s.store.Facts(ctx, r, idset.Of(ask...))
	if err != nil {
		return nil, err
	}
	for _, id := range ask { // another mark may have known it before it was deleted
		delete(b.facts, id)
	}
	for _, f := range got {
		b.facts[f.ID] = f
	}
	for _, i := range in {
		m := i.Value.(*mark)
		marked[m.By] = idset.Of(append(marked[m.By], conversations(b.facts, m.IDs)...)...)
	}
	if b.flags, err = s.store.Flags(ctx, slices.Collect(maps.Keys(marked)), idset.Of(ask...)); err != nil {
		return nil, err
	}
	if b.head, err = s.store.Head(ctx); err != nil {
		return nil, err
	}
	chunks := append([]readstate.Chunk{}, readstate.Chunks(all)...)
	if b.people, err = s.people(ctx, v, r, marked, chunks, b.head); err != nil {
		return nil, err
	}
	b.members, err = s.store.Members(ctx, b.again(in))
	return b, err
}

// again gives the direct conversations of what is to be unread again, whose participants the event names.
func (b *batch) again(in []*ports.Intent) []message.Recipient {
	var out []message.Recipient
	for _, i := range in {
		if m := i.Value.(*mark); m.Op == opUnread {
			out = append(out, conversations(b.facts, m.IDs)...)
		}
	}
	return idset.Of(out...)
}

func (s *Service) flush(ctx context.Context, b *batch, cleared []user.ID) error {
	if err := s.save(ctx, b.people); err != nil {
		return err
	}
	if len(cleared) > 0 {
		if err := s.store.ClearOld(ctx, idset.Of(cleared...), 0); err != nil {
			return err
		}
	}
	set := make(map[mine]message.Flag, len(b.dirty))
	for k := range b.dirty {
		set[k] = b.flags[k]
	}
	return s.store.SetFlags(ctx, set)
}

// check refuses marks of messages that the person may not see. What is only marked as read, or loses a star, needs no
// check: of what the person does not have, nothing changes.
func (b *batch) check(m *mark) error {
	if m.Op != opUnread && m.Op != opStar {
		return nil
	}
	kept := make(idset.Set[message.ID], 0, len(m.IDs))
	for _, id := range m.IDs {
		f, ok := b.facts[id]
		switch {
		case ok && b.mayMark(m, f):
			kept = append(kept, id)
		case !m.Lenient:
			return message.Invalid()
		}
	}
	m.IDs = kept
	return nil
}

func (b *batch) mayMark(m *mark, f fact) bool {
	p, who := b.people[m.By], b.v.User(m.By)
	has := p.Own.Received(f.rule())
	if !f.channel() {
		return has
	}
	own := has || b.flags[mine{m.By, f.ID}] != 0
	switch message.AccessTo(b.v, f.Recipient, who) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return own
	}
	// Whoever has left a private channel is told that what they received there can't be unread, as in any other channel
	// that they have left. A flag alone may be of a time when the message was elsewhere: it does not tell where it is now.
	return m.Op == opUnread && has
}

func (b *batch) marked(m *mark) []readstate.Marked {
	out := make([]readstate.Marked, 0, len(m.IDs))
	for _, id := range m.IDs {
		if f, ok := b.facts[id]; ok {
			out = append(out, readstate.Marked{Message: f.rule(), Old: b.flags[mine{m.By, id}]&message.OldUnread != 0})
		}
	}
	return out
}

func (b *batch) set(u user.ID, id message.ID, f message.Flag) {
	k := mine{u, id}
	b.flags[k], b.dirty[k] = f, true
}

func (b *batch) read(m *mark) {
	p := b.people[m.By]
	changed, old := p.MarkRead(&p.state, b.marked(m))
	for _, id := range old {
		b.set(m.By, id, b.flags[mine{m.By, id}]&^message.OldUnread)
	}
	m.Changed = changed
}

func (b *batch) readAll(m *mark) {
	p := b.people[m.By]
	p.state.MarkAll(b.head)
	p.wiped = true
	for k, f := range b.flags {
		if k.User == m.By && f&message.OldUnread != 0 {
			b.set(k.User, k.Message, f&^message.OldUnread)
		}
	}
}

func (b *batch) unread(m *mark) {
	p := b.people[m.By]
	changed, old, skipped := p.MarkUnread(&p.state, b.marked(m))
	for _, id := range old {
		b.set(m.By, id, b.flags[mine{m.By, id}]|message.OldUnread)
	}
	for _, id := range changed {
		if !p.Own.Received(b.facts[id].rule()) {
			b.set(m.By, id, b.flags[mine{m.By, id}]|message.Touched)
		}
	}
	for _, x := range skipped {
		if c, ok := x.Recipient.Channel(); ok {
			m.Skipped = append(m.Skipped, c)
		}
	}
	m.Changed, m.Skipped = changed, idset.Of(m.Skipped...)
}

// star sets or removes a bit. What was not received keeps a row of its own from then on.
func (b *batch) star(m *mark) {
	p := b.people[m.By]
	for _, id := range m.IDs {
		f := b.flags[mine{m.By, id}]
		if f&m.Flag != 0 == (m.Op == opStar) {
			continue
		}
		m.Changed = append(m.Changed, id)
		if m.Op == opUnstar {
			b.set(m.By, id, f&^m.Flag)
			continue
		}
		if f |= m.Flag; !p.Own.Received(b.facts[id].rule()) {
			f |= message.Touched
		}
		b.set(m.By, id, f)
	}
}

func (b *batch) event(m *mark) event.Event {
	switch m.Op {
	case opRead, opStar:
		return added(m.Realm, m.By, m.Name, m.Changed, false)
	case opReadAll:
		return added(m.Realm, m.By, m.Name, nil, true)
	case opUnstar:
		return removed(m.Realm, m.By, m.Name, m.Changed, nil)
	}
	fs := make([]fact, len(m.Changed))
	for i, id := range m.Changed {
		if fs[i] = b.facts[id]; !b.people[m.By].Own.Received(
			fs[i].rule(),
		) { // the wildcard is a flag of those whom it reached
			fs[i].Facts &^= message.ChannelWildcard
		}
	}
	flags := func(id message.ID) message.Flag { return b.flags[mine{m.By, id}] }
	return removed(m.Realm, m.By, m.Name, m.Changed, details(m.By, fs, flags, b.members, &m.Muting))
}
