package readstate

import (
	"context"
	"iter"
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
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/ports"
)

// maxMarks is the maximum number of marks that share a transaction with other users' messages.
const maxMarks = 64

// marker changes flags and read states through the realm's writer.
type marker struct {
	needs  Needs
	states *states
	finder *finder
	kind   *ports.IntentKind
}

func newMarker(n Needs, st *states, f *finder) *marker {
	k := &marker{needs: n, states: st, finder: f}
	k.kind = &ports.IntentKind{Name: "flags", Order: 10, Max: maxMarks, Write: k.write}
	return k
}

// mark is a change of flags to be written by the realm's writer.
type mark struct {
	By      user.ID
	Realm   realm.ID
	Op      op
	Flag    message.Flag // opStar and opUnstar: the bit
	Name    string       // wire name of the flag
	IDs     idset.Set[message.ID]
	Known   selections       // opRead: the messages, read before the realm is locked
	Muting  readstate.Muting // opUnread: the user's muted places at the time of the request
	Lenient bool             // ignore messages that the user may not mark

	Changed []message.ID // result: IDs of the messages whose flag changed, ascending
	Skipped channel.Set  // result: channels ignored by opUnread
}

type op int8

const (
	opRead op = iota
	opReadAll
	opUnread
	opStar // set the bit Flag, such as starred or collapsed
	opUnstar
)

// submit submits the mark to the realm's writer. Errors: BadRequest "Invalid message(s)".
func (k *marker) submit(ctx context.Context, m *mark) error {
	in := &ports.Intent{Kind: k.kind, Value: m, Size: 16 * len(m.IDs), OwnTx: len(m.IDs) > 5*block}
	return k.needs.Writer.Submit(ctx, m.Realm, m.By, in)
}

// batch holds the data for the marks of one transaction.
type batch struct {
	v       *directory.View
	head    message.ID
	users   map[user.ID]*userState
	facts   map[message.ID]fact
	flags   map[flags.Key]message.Flag // including the batch's changes
	dirty   map[flags.Key]bool
	members map[message.Recipient]user.Set
}

// write applies a batch of marks in order. It reads the data for all of them first and stores all changes at the end.
func (k *marker) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	b, err := k.load(ctx, v, in)
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
		if m.Op == opReadAll || len(m.Changed) > 0 {
			events = append(events, b.event(m))
		}
	}
	if err := k.save(ctx, b, cleared); err != nil {
		return nil, err
	}
	if len(read) > 0 {
		err = k.needs.Hooks.Run(ctx, &message.Read{Realm: v.Realm().ID, Users: idset.Of(read...)})
	}
	return events, err
}

func (k *marker) load(ctx context.Context, v *directory.View, in []*ports.Intent) (*batch, error) {
	b := &batch{v: v, facts: map[message.ID]fact{}, dirty: map[flags.Key]bool{}}
	var r realm.ID
	var toLoad []message.ID
	var chunks []readstate.Chunk
	many, marked := 0, map[user.ID][]message.Recipient{}
	for _, i := range in {
		m := i.Value.(*mark)
		r, marked[m.By] = m.Realm, nil
		chunks, many = append(chunks, readstate.Chunks(m.IDs)...), many+len(m.IDs)
		if m.Op != opRead {
			toLoad = append(toLoad, m.IDs...)
		}
	}
	got, err := k.finder.facts.byID(ctx, r, idset.Of(toLoad...))
	if err != nil {
		return nil, err
	}
	for _, f := range got {
		b.facts[f.ID] = f
	}
	for _, i := range in {
		m := i.Value.(*mark)
		marked[m.By] = append(append(marked[m.By], m.Known.conversations()...), conversations(b.factsOf(m))...)
	}
	if b.flags, err = k.needs.Flags.Of(ctx, slices.Collect(maps.Keys(marked)), idset.Of(toLoad...)); err != nil {
		return nil, err
	}
	if b.head, err = k.finder.facts.head(ctx); err != nil {
		return nil, err
	}
	for u, in := range marked {
		marked[u] = idset.Of(in...)
	}
	if b.users, err = k.states.loadForMarks(ctx, v, r, marked, idset.Of(chunks...), b.head, many); err != nil {
		return nil, err
	}
	b.members, err = k.needs.Inbox.Members(ctx, b.becomingUnread(in))
	return b, err
}

// becomingUnread returns the conversations of the messages to be marked as unread. The events list their participants.
func (b *batch) becomingUnread(in []*ports.Intent) []message.Recipient {
	var out []message.Recipient
	for _, i := range in {
		if m := i.Value.(*mark); m.Op == opUnread {
			out = append(out, conversations(b.factsOf(m))...)
		}
	}
	return idset.Of(out...)
}

// save stores the batch's changes. cleared contains the users who have marked everything as read.
func (k *marker) save(ctx context.Context, b *batch, cleared []user.ID) error {
	if err := k.states.saveAll(ctx, b.users); err != nil {
		return err
	}
	if len(cleared) > 0 {
		if err := k.needs.Flags.ClearOld(ctx, idset.Of(cleared...), 0); err != nil {
			return err
		}
	}
	set := make(map[flags.Key]message.Flag, len(b.dirty))
	for key := range b.dirty {
		set[key] = b.flags[key]
	}
	return k.needs.Flags.Set(ctx, set)
}

// check checks that the user can see the messages of a mark. If the mark is lenient, it removes the others. Marking as
// read and removing a flag need no check, since they have no effect on messages that the user does not have.
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
	p, u := b.users[m.By], b.v.User(m.By)
	received := p.Own.Received(f.message())
	if !f.channel() {
		return received
	}
	holds := received || b.flags[flags.Key{User: m.By, Message: f.ID}] != 0
	switch message.AccessTo(b.v, f.Recipient, u) {
	case message.AllAccess:
		return true
	case message.OwnAccess:
		return holds
	}
	// For users who have left a private channel, the response lists the channel as ignored, as for any other channel that
	// they have left. A flag alone does not suffice: it may have been set when the message was in another channel, and the
	// response would reveal the message's current channel.
	return m.Op == opUnread && received
}

// known returns the messages of a mark as read.
func (b *batch) known(m *mark) iter.Seq[readstate.Marked] {
	return func(yield func(readstate.Marked) bool) {
		for x := range m.Known.messages() {
			old := len(b.flags) > 0 && b.flag(m.By, x.ID)&message.OldUnread != 0
			if !yield(readstate.Marked{Message: x, Old: old}) {
				return
			}
		}
	}
}

// loaded returns the messages of another mark.
func (b *batch) loaded(m *mark) []readstate.Marked {
	var out []readstate.Marked
	for _, f := range b.factsOf(m) {
		out = append(out, readstate.Marked{Message: f.message(), Old: b.flag(m.By, f.ID)&message.OldUnread != 0})
	}
	return out
}

// factsOf returns those of the messages of a mark other than as read that exist, ascending.
func (b *batch) factsOf(m *mark) []fact {
	if m.Op == opRead {
		return nil
	}
	out := make([]fact, 0, len(m.IDs))
	for _, id := range m.IDs {
		if f, ok := b.facts[id]; ok {
			out = append(out, f)
		}
	}
	return out
}

func (b *batch) flag(u user.ID, id message.ID) message.Flag {
	return b.flags[flags.Key{User: u, Message: id}]
}

func (b *batch) setFlag(u user.ID, id message.ID, f message.Flag) {
	key := flags.Key{User: u, Message: id}
	b.flags[key], b.dirty[key] = f, true
}

func (b *batch) read(m *mark) {
	p := b.users[m.By]
	changed, old := p.MarkRead(&p.state, b.known(m))
	for _, id := range old {
		b.setFlag(m.By, id, b.flag(m.By, id)&^message.OldUnread)
	}
	m.Changed = changed
}

func (b *batch) readAll(m *mark) {
	p := b.users[m.By]
	p.state.MarkAll(b.head)
	p.chunksObsolete = true
	for key, f := range b.flags {
		if key.User == m.By && f&message.OldUnread != 0 {
			b.setFlag(key.User, key.Message, f&^message.OldUnread)
		}
	}
}

func (b *batch) unread(m *mark) {
	p := b.users[m.By]
	changed, old, skipped := p.MarkUnread(&p.state, b.loaded(m))
	for _, id := range old {
		b.setFlag(m.By, id, b.flag(m.By, id)|message.OldUnread)
	}
	for _, id := range changed {
		if !p.Own.Received(b.facts[id].message()) {
			b.setFlag(m.By, id, b.flag(m.By, id)|message.Touched)
		}
	}
	for _, x := range skipped {
		if c, ok := x.Recipient.Channel(); ok {
			m.Skipped = append(m.Skipped, c)
		}
	}
	m.Changed, m.Skipped = changed, idset.Of(m.Skipped...)
}

// star sets or removes a bit. If the user has not received the message, its flag row is kept even without flags.
func (b *batch) star(m *mark) {
	p := b.users[m.By]
	for _, id := range m.IDs {
		f := b.flag(m.By, id)
		if f&m.Flag != 0 == (m.Op == opStar) {
			continue
		}
		m.Changed = append(m.Changed, id)
		if m.Op == opUnstar {
			b.setFlag(m.By, id, f&^m.Flag)
			continue
		}
		if f |= m.Flag; !p.Own.Received(b.facts[id].message()) {
			f |= message.Touched
		}
		b.setFlag(m.By, id, f)
	}
}

func (b *batch) event(m *mark) event.Event {
	switch m.Op {
	case opRead, opStar:
		return flags.Added(m.Realm, m.By, m.Name, m.Changed)
	case opReadAll:
		return flags.AddedToAll(m.Realm, m.By, m.Name)
	case opUnstar:
		return flags.Removed(m.Realm, m.By, m.Name, m.Changed, nil)
	}
	return flags.Removed(m.Realm, m.By, m.Name, m.Changed, b.details(m))
}
