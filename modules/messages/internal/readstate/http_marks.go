package readstate

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

type changeReq struct {
	Messages []message.ID `json:"messages"`
	Op       string       `json:"op" enum:"add,remove"`
	Flag     string       `json:"flag"`
}

type changeRes struct {
	Messages []message.ID `json:"messages" forms:"array of integer" doc:"The IDs, as in the request."`
	Ignored  channel.Set  `json:"ignored_because_not_subscribed_channels"`
}

// uneditable contains the flags that clients cannot change.
var uneditable = map[string]bool{
	"mentioned": true, "stream_wildcard_mentioned": true, "topic_wildcard_mentioned": true, "group_mentioned": true,
	"wildcard_mentioned": true, "has_alert_word": true, "historical": true, "force_expand": true, "force_collapse": true,
}

// changeFlags handles POST /messages/flags. Errors: BadRequest.
func (k *marker) changeFlags(ctx context.Context, a kit.Actor, in changeReq) (changeRes, error) {
	marked, err := k.mark(ctx, a, in, false)
	res := changeRes{Messages: in.Messages, Ignored: marked.Ignored}
	if res.Messages == nil {
		res.Messages = []message.ID{}
	}
	return res, err
}

// checkMark checks that a flag can be changed and that the operation exists. Errors: BadRequest.
func checkMark(op, flag string) error {
	_, ok := message.Editable(flag)
	switch {
	case !ok && uneditable[flag]:
		return errs.Bad("Flag not editable: '%s'", flag)
	case !ok:
		return errs.Bad("Invalid flag: '%s'", flag)
	case op != "add" && op != "remove":
		return errs.Bad("Invalid message flag operation: '%s'", op)
	}
	return nil
}

// Marked is the result of a mark.
type Marked struct {
	Changed []message.ID // IDs of the messages whose flag changed, ascending
	Ignored channel.Set  // channels ignored because the caller is not subscribed; never nil
}

// mark sets or removes a flag. If lenient, it ignores messages that the caller may not mark; otherwise it rejects the
// request.
func (k *marker) mark(ctx context.Context, a kit.Actor, in changeReq, lenient bool) (Marked, error) {
	m, err := k.prepare(ctx, a, in)
	if err != nil {
		return Marked{}, err
	}
	m.Lenient = lenient
	if err := k.submit(ctx, m); err != nil {
		return Marked{}, err
	}
	if m.Skipped == nil {
		m.Skipped = channel.Set{}
	}
	return Marked{m.Changed, m.Skipped}, nil
}

// prepare converts a request to a mark.
func (k *marker) prepare(ctx context.Context, a kit.Actor, in changeReq) (*mark, error) {
	if err := checkMark(in.Op, in.Flag); err != nil {
		return nil, err
	}
	bit, _ := message.Editable(in.Flag)
	m := &mark{By: a.User, Realm: a.Realm, Flag: bit, Name: in.Flag, IDs: idset.Of(in.Messages...)}
	switch {
	case bit != 0 && in.Op == "add":
		m.Op = opStar
	case bit != 0:
		m.Op = opUnstar
	case in.Op == "remove":
		m.Op = opUnread
		parts, err := k.needs.Muted.Ask(ctx, readstate.MutedPlaces{Realm: a.Realm, User: a.User})
		m.Muting = readstate.Join(parts)
		return m, err
	default:
		m.Op = opRead
		v, err := k.needs.Directory.View(ctx, a.Realm)
		if err == nil {
			m.Known, err = k.finder.selectIDs(ctx, k.finder.cache.chunks(v, a.Realm), m.IDs)
		}
		return m, err
	}
	return m, nil
}

type completeRes struct {
	Complete bool `json:"complete"`
}

// markAll handles POST /mark_all_as_read.
func (k *marker) markAll(ctx context.Context, a kit.Actor, _ kit.None) (completeRes, error) {
	if any, err := k.hasUnread(ctx, a); err != nil || !any {
		return completeRes{err == nil}, err
	}
	err := k.submit(ctx, &mark{By: a.User, Realm: a.Realm, Op: opReadAll, Name: message.NameRead})
	return completeRes{err == nil}, err
}

// hasUnread reports whether marking everything as read would change anything, now or in channels that the caller has
// left and may subscribe to again.
func (k *marker) hasUnread(ctx context.Context, a kit.Actor) (bool, error) {
	v, err := k.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return false, err
	}
	_, newest, more, err := k.finder.unread(ctx, v, a.Realm, a.User, 1)
	if err != nil || more || newest.count() > 0 {
		return true, err
	}
	_, old, err := k.states.loadWhole(ctx, v, a.User)
	return len(old) > 0, err
}

type markChannelReq struct {
	StreamID channel.ID `json:"stream_id"`
}

// markChannel handles POST /mark_stream_as_read. Errors: BadRequest.
func (k *marker) markChannel(ctx context.Context, a kit.Actor, in markChannelReq) (kit.None, error) {
	return kit.None{}, k.markPlace(ctx, a, in.StreamID, nil)
}

type markTopicReq struct {
	StreamID  channel.ID `json:"stream_id"`
	TopicName string     `json:"topic_name"`
}

// markTopic handles POST /mark_topic_as_read. Errors: BadRequest.
func (k *marker) markTopic(ctx context.Context, a kit.Actor, in markTopicReq) (kit.None, error) {
	return kit.None{}, k.markPlace(ctx, a, in.StreamID, &in.TopicName)
}

// markPlace marks a channel, or one topic of it, as read.
func (k *marker) markPlace(ctx context.Context, a kit.Actor, c channel.ID, name *string) error {
	v, err := k.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	if !permission.Reads(v, v.Channel(c), v.User(a.User)) {
		return channel.Invalid()
	}
	in := place{Recipient: message.OfChannel(c)}
	p, old, err := k.states.loadWhole(ctx, v, a.User)
	if err != nil {
		return err
	}
	if name != nil {
		key := topic.Key(topic.Canonical(*name))
		in.TopicKey = &key
	}
	unread, err := k.finder.unreadInPlace(ctx, v, p, old, a.Realm, in)
	if err != nil {
		return err
	}
	if unread.count() > 0 {
		return k.submit(ctx, &mark{
			By: a.User, Realm: a.Realm, Op: opRead, Name: message.NameRead, IDs: unread.ids(), Known: unread,
		})
	}
	if name == nil || *in.TopicKey == "" {
		return nil
	}
	has, err := k.needs.Topics.HasMessage(ctx, a.Realm, a.User, in.Recipient, *in.TopicKey)
	if err == nil && !has {
		err = errs.Bad("No such topic '%s'", *name)
	}
	return err
}
