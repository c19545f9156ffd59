package readstate

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
)

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	DB       *bunstore.DB
	Inbox    *inbox.Store
	Flags    *flags.Store
	Audience *audience.Service
	Topics   *topics.Service
	Muted    kit.QueryAll[readstate.MutedPlaces, readstate.Muting]
}

// Service determines which messages users have read, and marks messages as read or unread.
type Service struct {
	needs  Needs
	states *states
	finder *finder
	marker *marker
	packer *packer
	limits *limits // tests lower these to cover all paths with few messages
}

// limits are thresholds for choosing between ways of reading that have the same result but different costs.
type limits struct {
	// floorLag is the distance to the head, in IDs, beyond which a floor counts as far behind, because the user was away.
	// For such users, messages are read by conversation, at most batch at a time, rather than together for all users.
	floorLag message.ID
	batch    int
	perMark  int // minimum for a mark, which raises floors past as many messages as it marks
	// manyInPlace is the number of messages from which on those of a channel or topic are taken from the cache.
	manyInPlace int

	maxByID  int             // up to this number of messages, they are read by ID rather than from the cache
	wideSpan readstate.Chunk // from this number of chunks on, messages are read by conversation rather than from the cache
	window   message.ID      // if read by conversation, the first number of IDs to read at once
	// maxLeaving is the maximum number of users leaving a channel together who are notified of the messages that become
	// read. If there are more, clients have to infer it from the end of the subscription, since listing all of their
	// unread messages would be too expensive.
	maxLeaving int
}

// New returns the service. It does no I/O.
func New(n Needs) *Service {
	lim := &limits{
		floorLag: 4096, perMark: 4096, batch: 20_000, maxByID: 500, wideSpan: 48, window: 1 << 14, maxLeaving: 20,
		manyInPlace: 2000,
	}
	facts := factStore{n.DB, n.Inbox}
	inMemory := newCache(facts)
	st := &states{
		stateStore: stateStore{n.DB}, facts: facts, cache: inMemory, inbox: n.Inbox, flags: n.Flags, limits: lim,
	}
	find := &finder{states: st, facts: facts, cache: inMemory, limits: lim}
	return &Service{
		needs: n, states: st, finder: find, limits: lim,
		marker: newMarker(n, st, find),
		packer: &packer{facts: facts, finder: find, work: n.Work, log: n.Log},
	}
}

// Parts returns the package's contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/messages/flags", kit.Users, s.marker.changeFlags,
				"Adds or removes one of the caller's flags on messages.").Operation("updateMessageFlags").
				Idempotent(),
			kit.POST("/mark_all_as_read", kit.Users, s.marker.markAll, "Marks everything as read.").Idempotent(),
			kit.POST("/mark_stream_as_read", kit.Users, s.marker.markChannel, "Marks a channel as read.").Idempotent(),
			kit.POST("/mark_topic_as_read", kit.Users, s.marker.markTopic, "Marks a topic as read.").Idempotent(),
		},
		Register: []kit.Section{kit.Register("message", s.unreadSection).And("update_message_flags").
			Compress("unread_msgs")},
		Jobs:   s.packer.jobs(),
		Doctor: s.diagnoses(),
		Hooks: []kit.Hook{
			kit.On(s.joined),
			kit.On(s.subscribed),
			kit.On(s.unsubscribed),
			kit.On(s.channelsReturned),
			kit.On(s.finder.cache.logAdvanced),
			kit.On(s.noticePolicies),
		},
	}
}

// Personal is the state of a message for one user.
type Personal struct {
	Received bool
	Flags    []string // wire names; never nil
}

// Of returns the state of each message for u, who must be able to read all of them.
func (s *Service) Of(ctx context.Context, v *directory.View, u user.ID, ms []message.Message) ([]Personal, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	withMoves, err := s.needs.Inbox.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	r := reader(v, u)
	in := inbox.Conversations(withMoves...)
	for _, at := range in {
		if _, channel := at.Channel(); !channel {
			r.Own.Direct = append(r.Own.Direct, at)
		}
	}
	flags, periods, err := s.states.flagsAndPeriods(ctx, u, ids, in)
	if err != nil {
		return nil, err
	}
	r.Own.Periods = periods
	r.Own.Sort()
	states, err := s.states.load(ctx, []user.ID{u}, readstate.Chunks(idset.Of(ids...)))
	if err != nil {
		return nil, err
	}
	state := states[u]
	if state == nil {
		state = &readstate.State{}
	}
	out := make([]Personal, len(ms))
	for i := range ms {
		out[i] = personal(r, state, withMoves[i], ms[i].Facts, flags[ms[i].ID])
	}
	return out, nil
}

func personal(
	r *readstate.Reader,
	state *readstate.State,
	m readstate.Message,
	facts message.Facts,
	flags message.Flag,
) Personal {
	p := Personal{Received: r.Own.Received(m)}
	if flags&message.ByMention != 0 && !p.Received { // unread until the bot marks it as read, as for subscribers
		p.Flags = message.FlagNames(flags, facts, flags&message.OldUnread == 0, false)
		return p
	}
	if !p.Received { // a channel wildcard mentions only those who received the message
		facts &^= message.ChannelWildcard
	}
	p.Flags = message.FlagNames(flags, facts, !r.Unread(state, m, flags&message.OldUnread != 0), !p.Received)
	return p
}

// reader returns a user's settings and mutes in the form that the rules use, without the inbox.
func reader(v *directory.View, u user.ID) *readstate.Reader {
	r := &readstate.Reader{User: u, Muted: v.Muted(u)}
	if account := v.User(u); account != nil {
		r.Quiet = readstate.Quiet(account)
	}
	return r
}

// Inbox returns u's inbox: all periods, including closed ones, and all direct conversations.
func (s *Service) Inbox(ctx context.Context, u user.ID) (readstate.Inbox, error) {
	all, err := s.needs.Inbox.Of(ctx, u)
	if err != nil {
		return readstate.Inbox{}, err
	}
	return *all[u], nil
}

// Unread returns the IDs, ascending, of those of u's newest 50,000 unread messages that match. A nil function matches
// all messages. It receives the fields ID, Recipient, TopicKey, Sender and Facts.
func (s *Service) Unread(
	ctx context.Context, v *directory.View, u user.ID, matches func(*message.Message) bool,
) (idset.Set[message.ID], error) {
	if v.Realm() == nil {
		return nil, nil
	}
	_, all, _, err := s.finder.unread(ctx, v, v.Realm().ID, u, maxUnread)
	ids := make(idset.Set[message.ID], 0, all.count())
	for _, p := range all {
		keys := make([]string, len(p.chunk.topics))
		for _, at := range p.indexes {
			if matches == nil {
				ids = append(ids, p.chunk.id(at))
				continue
			}
			x := &p.chunk.list[at]
			if keys[x.topic] == "" {
				keys[x.topic] = topic.Key(p.chunk.topics[x.topic])
			}
			m := message.Message{
				ID: p.chunk.id(at), Recipient: p.chunk.recipients[x.recipient], TopicKey: keys[x.topic],
				Sender: p.chunk.senders[x.sender], Facts: message.Facts(x.bits & bitsOfFacts),
			}
			if matches(&m) {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids, err
}

// CheckMark checks that a flag can be changed and that the operation exists. Errors: BadRequest.
func (s *Service) CheckMark(op, flag string) error { return checkMark(op, flag) }

// Mark sets or removes a flag on messages that the caller could see when they were looked up. It ignores those that
// have since been deleted or moved to where the caller cannot see them. Errors: BadRequest.
func (s *Service) Mark(
	ctx context.Context,
	a kit.Actor,
	ids []message.ID,
	op, flag string,
) (Marked, error) {
	return s.marker.mark(ctx, a, changeReq{Messages: ids, Op: op, Flag: flag}, true)
}

// Flag sets or removes a flag. Unlike Mark, it refuses messages that the caller cannot see. Errors: BadRequest.
func (s *Service) Flag(ctx context.Context, a kit.Actor, op, flag string, ids []message.ID) error {
	_, err := s.marker.mark(ctx, a, changeReq{Messages: ids, Op: op, Flag: flag}, false)
	return err
}
