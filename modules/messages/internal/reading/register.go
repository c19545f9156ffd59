package reading

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

// unreadMsgs is unread_msgs of /register (events-and-register.md §4.11).
type unreadMsgs struct {
	Count      int            `json:"count"` // without what is in muted places
	PMs        []unreadPM     `json:"pms"`
	Streams    []unreadStream `json:"streams"` // muted ones too
	Huddles    []unreadHuddle `json:"huddles"`
	Mentions   []message.ID   `json:"mentions"`
	OldMissing bool           `json:"old_unreads_missing"`
}

type unreadPM struct {
	OtherUserID user.ID      `json:"other_user_id"` // one's own for notes to self
	SenderID    user.ID      `json:"sender_id"`     // the same, for older clients
	IDs         []message.ID `json:"unread_message_ids"`
}

type unreadStream struct {
	StreamID channel.ID   `json:"stream_id"`
	Topic    string       `json:"topic"`
	IDs      []message.ID `json:"unread_message_ids"`
}

type unreadHuddle struct {
	UserIDs string       `json:"user_ids_string"` // all participants, ascending
	IDs     []message.ID `json:"unread_message_ids"`
}

type unreadSection struct {
	UnreadMsgs unreadMsgs `json:"unread_msgs"`
}

func (s *Service) unreadSection(ctx context.Context, a kit.Actor, c event.Client) (unreadSection, error) {
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return unreadSection{}, err
	}
	fs, more, err := s.unread(ctx, v, a.Realm, a.User, maxUnread)
	if err != nil {
		return unreadSection{}, err
	}
	muting := readstate.Muting{Realm: a.Realm, User: a.User}
	if err := s.needs.Hooks.Run(ctx, &muting); err != nil {
		return unreadSection{}, err
	}
	var direct []fact
	for _, f := range fs {
		if !f.channel() {
			direct = append(direct, f)
		}
	}
	members, err := s.store.Members(ctx, recipients(direct))
	if err != nil {
		return unreadSection{}, err
	}
	out := unreadMsgs{OldMissing: more, PMs: []unreadPM{}, Streams: []unreadStream{}, Huddles: []unreadHuddle{}, Mentions: []message.ID{}}
	if len(fs) > 0 {
		flags, err := s.store.FlagsFrom(ctx, a.User, message.Mentioned, fs[0].ID)
		if err != nil {
			return unreadSection{}, err
		}
		wildcards, err := s.store.FlagsFrom(ctx, a.User, message.TopicWildcard, fs[0].ID)
		if err != nil {
			return unreadSection{}, err
		}
		out.mentions(fs, flags, wildcards, &muting)
	}
	out.direct(a.User, direct, members)
	out.streams(fs, &muting, c.EmptyTopicName)
	return unreadSection{out}, nil
}

// mentions lists what mentions the person: by name everywhere, by a wildcard in places that are not muted.
func (out *unreadMsgs) mentions(fs []fact, mentioned, wildcards map[message.ID]message.Flag, muting *readstate.Muting) {
	for _, f := range fs {
		_, named := mentioned[f.ID]
		if !named {
			if _, wild := wildcards[f.ID]; !wild && f.Facts&message.ChannelWildcard == 0 {
				continue
			}
			if c, is := f.Recipient.Channel(); is && muting.Muted(c, topic.Key(f.Topic)) {
				continue
			}
		}
		out.Mentions = append(out.Mentions, f.ID)
	}
}

func (out *unreadMsgs) direct(u user.ID, fs []fact, members map[message.Recipient]user.Set) {
	ids := map[message.Recipient][]message.ID{}
	for _, f := range fs {
		ids[f.Recipient] = append(ids[f.Recipient], f.ID)
	}
	out.Count += len(fs)
	for r, list := range ids {
		who := members[r]
		if len(who) > 2 {
			out.Huddles = append(out.Huddles, unreadHuddle{UserIDs: joined(who), IDs: list})
			continue
		}
		other := u
		for _, id := range who.Minus(user.Set{u}) {
			other = id
		}
		out.PMs = append(out.PMs, unreadPM{OtherUserID: other, SenderID: other, IDs: list})
	}
	slices.SortFunc(out.PMs, func(a, b unreadPM) int { return cmp.Compare(a.OtherUserID, b.OtherUserID) })
	slices.SortFunc(out.Huddles, func(a, b unreadHuddle) int { return cmp.Compare(a.UserIDs, b.UserIDs) })
}

// streams groups by topic, under the name that its newest message has.
func (out *unreadMsgs) streams(fs []fact, muting *readstate.Muting, knowsEmpty bool) {
	at := map[readstate.Topic]*unreadStream{}
	type spot struct {
		in    message.Recipient
		topic string // as one message has it
	}
	spots := map[spot]*unreadStream{}
	for _, f := range fs {
		g := spots[spot{f.Recipient, f.Topic}]
		if g == nil {
			c, is := f.Recipient.Channel()
			if !is {
				continue
			}
			in := readstate.Topic{Channel: c, Key: topic.Key(f.Topic)}
			if g = at[in]; g == nil {
				g = &unreadStream{StreamID: c}
				at[in] = g
			}
			spots[spot{f.Recipient, f.Topic}] = g
		}
		g.Topic, g.IDs = f.Topic, append(g.IDs, f.ID)
	}
	for in, g := range at {
		if !muting.Muted(in.Channel, in.Key) {
			out.Count += len(g.IDs)
		}
		g.Topic = topic.Show(g.Topic, knowsEmpty)
		out.Streams = append(out.Streams, *g)
	}
	slices.SortFunc(out.Streams, func(a, b unreadStream) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Topic, b.Topic))
	})
}

func joined(us user.Set) string {
	parts := make([]string, len(us))
	for i, u := range us {
		parts[i] = strconv.FormatInt(int64(u), 10)
	}
	return strings.Join(parts, ",")
}

type starredSection struct {
	Starred []message.ID `json:"starred_messages"` // ascending
}

// starredSection gives the starred messages, the newest 50,000.
func (s *Service) starredSection(ctx context.Context, a kit.Actor, _ event.Client) (starredSection, error) {
	ids, err := s.store.Flagged(ctx, a.User, message.Starred, 0, 1<<62, maxUnread, true)
	slices.Reverse(ids)
	return starredSection{ids}, err
}
