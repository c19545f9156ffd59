package readstate

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// unreadMsgs is the key unread_msgs of /register. It implements [kit.Encoded].
type unreadMsgs struct {
	Count    int // not counting messages in muted channels and topics
	PMs      []unreadPM
	Streams  []unreadStream // including muted channels and topics
	Huddles  []unreadHuddle
	Mentions []message.ID
	// Wildcards holds the messages with a wildcard mention only, including those in muted channels and topics. It is nil
	// for clients without the capability wildcard_mentions.
	Wildcards  []message.ID
	OldMissing bool
}

type unreadPM struct {
	With user.ID // the other participant, or the user for notes to self
	IDs  []message.ID
}

type unreadStream struct {
	StreamID channel.ID
	Topic    string
	IDs      []message.ID
}

type unreadHuddle struct {
	UserIDs string // all participants, ascending
	IDs     []message.ID
}

type unreadSection struct {
	UnreadMsgs unreadMsgs `json:"unread_msgs"`
}

func (s *Service) unreadSection(ctx context.Context, a kit.Actor, c event.Client) (unreadSection, error) {
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return unreadSection{}, err
	}
	p, all, more, err := s.finder.unread(ctx, v, a.Realm, a.User, maxUnread)
	if err != nil {
		return unreadSection{}, err
	}
	parts, err := s.needs.Muted.Ask(ctx, readstate.MutedPlaces{Realm: a.Realm, User: a.User})
	if err != nil {
		return unreadSection{}, err
	}
	muting := readstate.Join(parts)
	direct := all.direct()
	members, err := s.needs.Inbox.Members(ctx, recipients(direct))
	if err != nil {
		return unreadSection{}, err
	}
	out := unreadMsgs{OldMissing: more, Wildcards: []message.ID{}}
	if len(all) > 0 {
		first := all[0].chunk.id(all[0].indexes[0])
		flags, err := s.needs.Flags.WithBit(ctx, a.User, message.Mentioned, first)
		if err != nil {
			return unreadSection{}, err
		}
		wildcards, err := s.needs.Flags.WithBit(ctx, a.User, message.TopicWildcard, first)
		if err != nil {
			return unreadSection{}, err
		}
		out.mentions(&p.Own, all, flags, wildcards, &muting)
	}
	if !c.WildcardMentions {
		out.Wildcards = nil
	}
	out.direct(a.User, direct, members)
	out.streams(all, &muting, c.EmptyTopicName)
	return unreadSection{out}, nil
}

// direct returns the direct messages of the selection.
func (all selections) direct() []fact {
	var out []fact
	for _, p := range all {
		for _, at := range p.indexes {
			if _, channel := p.chunk.recipients[p.chunk.list[at].recipient].Channel(); !channel {
				out = append(out, p.chunk.factAt(at))
			}
		}
	}
	return out
}

// mentions adds the messages that mention the user. Wildcard mentions count as mentions only in channels and topics
// that are not muted, and channel wildcards mention only users who received the message.
func (out *unreadMsgs) mentions(
	own *readstate.Inbox,
	all selections,
	mentioned, wildcards map[message.ID]message.Flag,
	muting *readstate.Muting,
) {
	for _, p := range all {
		for _, at := range p.indexes {
			id := p.chunk.id(at)
			if _, named := mentioned[id]; !named {
				_, wild := wildcards[id]
				if !wild && (p.chunk.list[at].bits&uint16(message.ChannelWildcard) == 0 || !own.Received(p.chunk.messageAt(at))) {
					continue
				}
				out.Wildcards = append(out.Wildcards, id)
				f := p.chunk.factAt(at)
				if c, is := f.Recipient.Channel(); is && muting.Muted(c, topic.Key(f.Topic)) {
					continue
				}
			}
			out.Mentions = append(out.Mentions, id)
		}
	}
}

func (out *unreadMsgs) direct(u user.ID, fs []fact, members map[message.Recipient]user.Set) {
	ids := map[message.Recipient][]message.ID{}
	for _, f := range fs {
		ids[f.Recipient] = append(ids[f.Recipient], f.ID)
	}
	out.Count += len(fs)
	for r, list := range ids {
		participants := members[r]
		if len(participants) > 2 {
			out.Huddles = append(out.Huddles, unreadHuddle{UserIDs: joinIDs(participants), IDs: list})
			continue
		}
		other := u
		for _, id := range participants.Minus(user.Set{u}) {
			other = id
		}
		out.PMs = append(out.PMs, unreadPM{With: other, IDs: list})
	}
	slices.SortFunc(out.PMs, func(a, b unreadPM) int { return cmp.Compare(a.With, b.With) })
	slices.SortFunc(out.Huddles, func(a, b unreadHuddle) int { return cmp.Compare(a.UserIDs, b.UserIDs) })
}

// grouping groups unread messages by topic.
type grouping struct {
	at     map[readstate.Topic]int32
	groups []group
	order  []int32 // the group of each channel message
}

type group struct {
	readstate.Topic
	name string // topic name in the newest message
	n    int
}

// add groups the messages of one chunk.
func (g *grouping) add(p selection) {
	type pair struct{ where, topic uint16 } // numbers of the conversation and topic in the chunk
	groupOf := map[pair]int32{}
	for _, at := range p.indexes {
		m := &p.chunk.list[at]
		n, known := groupOf[pair{m.recipient, m.topic}]
		if !known {
			c, channel := p.chunk.recipients[m.recipient].Channel()
			if !channel {
				continue
			}
			in := readstate.Topic{Channel: c, Key: topic.Key(p.chunk.topics[m.topic])}
			if n, known = g.at[in]; !known {
				n = int32(len(g.groups))
				g.at[in], g.groups = n, append(g.groups, group{Topic: in})
			}
			groupOf[pair{m.recipient, m.topic}] = n
		}
		g.groups[n].name = p.chunk.topics[m.topic]
		g.groups[n].n++
		g.order = append(g.order, n)
	}
}

// ids returns the IDs of each group's messages.
func (g *grouping) ids(all selections) [][]message.ID {
	buf := make([]message.ID, len(g.order))
	out := make([][]message.ID, len(g.groups))
	for i := range g.groups {
		out[i], buf = buf[:0:g.groups[i].n], buf[g.groups[i].n:]
	}
	order := g.order
	for _, p := range all {
		for _, at := range p.indexes {
			if _, channel := p.chunk.recipients[p.chunk.list[at].recipient].Channel(); channel {
				out[order[0]] = append(out[order[0]], p.chunk.id(at))
				order = order[1:]
			}
		}
	}
	return out
}

// streams groups the channel messages by topic. Each topic has the name that its newest message has.
func (out *unreadMsgs) streams(all selections, muting *readstate.Muting, knowsEmpty bool) {
	g := grouping{at: map[readstate.Topic]int32{}, order: make([]int32, 0, all.count())}
	for _, p := range all {
		g.add(p)
	}
	for i, ids := range g.ids(all) {
		in := g.groups[i]
		if !muting.Muted(in.Channel, in.Key) {
			out.Count += len(ids)
		}
		out.Streams = append(
			out.Streams,
			unreadStream{StreamID: in.Channel, Topic: topic.Show(in.name, knowsEmpty), IDs: ids},
		)
	}
	slices.SortFunc(out.Streams, func(a, b unreadStream) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Topic, b.Topic))
	})
}

func joinIDs(us user.Set) string {
	parts := make([]string, len(us))
	for i, u := range us {
		parts[i] = strconv.FormatInt(int64(u), 10)
	}
	return strings.Join(parts, ",")
}
