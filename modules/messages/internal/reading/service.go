package reading

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs is what the service works with.
type Needs struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Clock     ports.Clock
}

// Service is flags, read state, periods and mutes.
type Service struct {
	needs Needs
	store store
	cache *cache
	marks *ports.IntentKind
	// The tests lower these, to take every path with few messages.
	limits limits
}

// limits choose between ways of reading that give the same; each was faster than the other beyond it.
type limits struct {
	// near: a floor that lies further behind is that of somebody who was away. What they may have received since is then
	// asked for by conversation, far messages at a time, instead of read with everybody else's.
	near message.ID
	far  int
	few  int             // so many messages are read by their keys rather than from memory
	wide readstate.Chunk // so many chunks above the floor are not walked in memory: indexes of somebody's conversations are faster
	// told is how many people at once are told what they no longer have unread when they cease to be subscribers. When
	// more do, clients go by the end of the subscription alone: to find out would cost as much as all of them have unread.
	told int
}

// New makes the service. It does no I/O.
func New(n Needs) *Service {
	st := store{n.DB}
	s := &Service{
		needs:  n,
		store:  st,
		cache:  newCache(st),
		limits: limits{near: 4096, far: 20_000, few: 500, wide: 4, told: 20},
	}
	s.marks = &ports.IntentKind{Name: "flags", Order: 10, Max: maxMarks, Write: s.write}
	return s
}

// Parts gives what the module adds for read state, without the migrations.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/messages/flags", kit.Users, s.change, "Sets or removes a flag of the caller on messages."),
			kit.POST("/mark_all_as_read", kit.Users, s.markAll, "Marks everything as read."),
			kit.POST("/mark_stream_as_read", kit.Users, s.markChannel, "Marks a channel as read."),
			kit.POST("/mark_topic_as_read", kit.Users, s.markTopic, "Marks a topic as read."),
			kit.POST("/users/me/muted_users/:muted_user_id", kit.Users, s.mute, "Mutes a user."),
			kit.DELETE("/users/me/muted_users/:muted_user_id", kit.Users, s.unmute, "Unmutes a user."),
		},
		Register: []kit.Section{
			kit.Register("message", s.unreadSection).And("update_message_flags"),
			kit.Register("starred_messages", s.starredSection),
			kit.Register("muted_users", s.mutedSection),
		},
		Jobs:   s.packing(),
		Events: []kit.AnyEvent{flagsAdded.Any(), flagsRemoved.Any(), mutedUsers.Any()},
		Hooks: []kit.Hook{
			kit.On(s.joined),
			kit.On(s.subscribed),
			kit.On(s.unsubscribed),
			kit.On(s.cache.moved),
			kit.On(s.begins),
			kit.On(s.policies),
		},
		Directory: []directory.Part{{Name: "mutes", Load: s.store.LoadMutes}},
	}
}

// Personal is what one person has of a message.
type Personal struct {
	Received bool
	Flags    []string // wire names; never nil
}

// Rules gives what the rules need to know of messages, the moves of those that have crossed between channels included.
func (s *Service) Rules(ctx context.Context, ms []message.Message) ([]readstate.Message, error) {
	var crossed []message.ID
	for i := range ms {
		if ms[i].Facts&message.Crossed != 0 {
			crossed = append(crossed, ms[i].ID)
		}
	}
	moves, err := s.store.Moves(ctx, crossed)
	out := make([]readstate.Message, len(ms))
	for i, m := range ms {
		out[i] = readstate.Of(m, moves[m.ID])
	}
	return out, err
}

// stays gives the conversations that messages are or were in, ascending.
func stays(rules []readstate.Message) idset.Set[message.Recipient] {
	var in []message.Recipient
	for _, r := range rules {
		in = append(in, r.Recipient)
		for _, m := range r.Moves {
			in = append(in, m.From, m.To)
		}
	}
	return idset.Of(in...)
}

// Of gives what u has of each of a page of messages, all of which u may read, in a few statements.
func (s *Service) Of(ctx context.Context, v *directory.View, u user.ID, ms []message.Message) ([]Personal, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	r := s.reader(v, u)
	in := stays(rules)
	for _, at := range in {
		if _, channel := at.Channel(); !channel {
			r.Own.Direct = append(r.Own.Direct, at)
		}
	}
	flags, periods, err := s.store.Page(ctx, u, ids, in)
	if err != nil {
		return nil, err
	}
	r.Own.Periods = periods
	r.Own.Sort()
	states, err := s.store.States(ctx, []user.ID{u}, readstate.Chunks(idset.Of(ids...)))
	if err != nil {
		return nil, err
	}
	state := states[u]
	if state == nil {
		state = &readstate.State{}
	}
	out := make([]Personal, len(ms))
	for i := range ms {
		out[i] = personal(r, state, rules[i], ms[i].Facts, flags[ms[i].ID])
	}
	return out, nil
}

func personal(
	r *readstate.Reader,
	state *readstate.State,
	rule readstate.Message,
	facts message.Facts,
	flags message.Flag,
) Personal {
	p := Personal{Received: r.Own.Received(rule)}
	if flags&message.Reached != 0 && !p.Received { // unread until the bot marks it, as for a subscriber
		p.Flags = message.FlagNames(flags, facts, flags&message.OldUnread == 0, false)
		return p
	}
	if !p.Received { // the wildcard is a flag of those whom it reached
		facts &^= message.ChannelWildcard
	}
	p.Flags = message.FlagNames(flags, facts, !r.Unread(state, rule, flags&message.OldUnread != 0), !p.Received)
	return p
}

// reader gives a person with what the view knows of them.
func (s *Service) reader(v *directory.View, u user.ID) *readstate.Reader {
	r := &readstate.Reader{User: u, Muted: v.Muted(u)}
	if who := v.User(u); who != nil {
		r.Quiet = readstate.Quiet(who)
	}
	return r
}

// Own gives where u's messages come from: all periods, closed ones too, and all direct conversations.
func (s *Service) Own(ctx context.Context, _ *directory.View, u user.ID) (readstate.Inbox, error) {
	all, err := s.store.Owns(ctx, []user.ID{u})
	if err != nil {
		return readstate.Inbox{}, err
	}
	return *all[u], nil
}

// Flagged gives ids of u's messages with at least one bit of f, of ids in [from, to], at most limit, in rising order,
// or falling when down. The caller tests access.
func (s *Service) Flagged(
	ctx context.Context,
	u user.ID,
	f message.Flag,
	from, to message.ID,
	limit int,
	down bool,
) ([]message.ID, error) {
	return s.store.Flagged(ctx, u, f, from, to, limit, down)
}

// AnyFlags gives those of the ids of which u has a bit of f.
func (s *Service) AnyFlags(
	ctx context.Context,
	u user.ID,
	f message.Flag,
	ids []message.ID,
) (map[message.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.store.Among(ctx, u, f, ids)
}

// Sent is a message that is being sent, and whose flags it sets from the start.
type Sent struct {
	Message       message.Message
	Mentioned     []user.ID // by name or through a group
	Personally    []user.ID // of those, by name
	TopicWildcard []user.ID
	Alerted       []user.ID
	Unread        []user.ID // though it is not by rule
	Reached       []user.ID // bots mentioned by name that receive it without being subscribed
}

// Concerns tells whether the message is anything to anybody that the rules do not tell.
func (m *Sent) Concerns() bool {
	return len(m.Mentioned)+len(m.TopicWildcard)+len(m.Alerted)+len(m.Unread)+len(m.Reached) > 0
}

// bits gives the flags of everybody whom the message concerns.
func (m *Sent) bits() map[user.ID]message.Flag {
	flags := map[user.ID]message.Flag{}
	for _, of := range []struct {
		who []user.ID
		bit message.Flag
	}{
		{m.Mentioned, message.Mentioned}, {m.Personally, message.Mentioned | message.Personally},
		{m.TopicWildcard, message.TopicWildcard}, {m.Alerted, message.AlertWord}, {m.Unread, message.OldUnread},
		{m.Reached, message.Mentioned | message.Personally | message.Touched | message.Reached | message.OldUnread},
	} {
		for _, u := range of.who {
			flags[u] |= of.bit
		}
	}
	return flags
}

// Sent stores the flags of messages that are being sent, in one statement. Inside the batch, under the realm's lock.
func (s *Service) Sent(ctx context.Context, _ *directory.View, sent []Sent) error {
	var rows []flagRow
	for i := range sent {
		for u, f := range sent[i].bits() {
			rows = append(rows, flagRow{UserID: u, MessageID: sent[i].Message.ID, Flags: f})
		}
	}
	return s.store.InsertFlags(ctx, rows)
}
