// Package remove deletes messages and topics. Deleted messages are no longer readable, but kept in an archive for 30
// days.
package remove

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Service deletes messages.
type Service struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Flags    *flags.Service
	Access   *access.Service

	purges kit.Backlog
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.DELETE("/messages/:message_id", kit.Users, s.one, "Deletes a message."),
		kit.POST("/streams/:stream_id/delete_topic", kit.Admins, s.topic, "Deletes all messages of a topic.").
			Operation("deleteTopic"),
	}
}

type oneRequest struct {
	ID message.ID `json:"message_id"`
}

// one handles DELETE /messages/:message_id. Errors: BadRequest.
func (s *Service) one(ctx context.Context, a kit.Actor, in oneRequest) (kit.None, error) {
	return kit.None{}, s.Delete(ctx, a, in.ID)
}

// Delete implements [ports.MessageActions].
func (s *Service) Delete(ctx context.Context, as user.Actor, id message.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, u, err := kit.Caller(ctx, s.Directory, as)
		if err != nil {
			return err
		}
		found, err := s.Access.Changeable(ctx, v, u, id)
		if err != nil {
			return err
		}
		c := message.ChannelOf(v, found.Recipient)
		if err := message.CheckDelete(v, u, c, &found.Message, s.Clock.Now()); err != nil {
			return err
		}
		ms, err := s.Store.Lock(ctx, as.Realm, []message.ID{id})
		if err != nil {
			return err
		}
		if len(ms) == 0 {
			return errs.Bad("Message already deleted")
		}
		return s.Remove(ctx, v, as, ms)
	})
}

type topicRequest struct {
	Channel channel.ID `json:"stream_id"`
	Topic   string     `json:"topic_name"`
}

type topicResponse struct {
	Complete bool `json:"complete"`
}

// Limits on deleting a topic: messages per transaction, and the time after which the request ends and the client has to
// repeat it.
const (
	messagesPerBlock = 1000
	maxDuration      = 50 * time.Second
)

// topic handles POST /streams/:stream_id/delete_topic. It deletes the newest messages first, block by block. Errors:
// BadRequest.
func (s *Service) topic(ctx context.Context, a kit.Actor, in topicRequest) (topicResponse, error) {
	name, err := topic.Clean(in.Topic)
	if err != nil {
		return topicResponse{}, err
	}
	until := s.Clock.Now().Add(maxDuration)
	for below := message.MaxID; below > 0; {
		if s.Clock.Now().After(until) {
			return topicResponse{}, nil
		}
		if below, err = kit.Tx(ctx, s.Work, func(ctx context.Context) (message.ID, error) {
			next, err := s.block(ctx, a, in.Channel, topic.Key(name), below)
			if err != nil || next > 0 {
				return next, err
			}
			err = s.Audit.Record(ctx, audit.Fact{
				Realm: a.Realm, Action: audit.TopicDeleted, Target: audit.To(audit.Channel, in.Channel),
				Old: audit.Values{"topic": name},
			})
			if err != nil {
				return 0, err
			}
			return 0, s.runEmptied(ctx, a, in.Channel, topic.Key(name))
		}); err != nil {
			return topicResponse{}, err
		}
	}
	return topicResponse{Complete: true}, nil
}

// block deletes the newest of those messages of a topic that the actor can see and whose IDs are lower than below. It
// returns the ID below which to continue, or 0 at the end.
func (s *Service) block(
	ctx context.Context,
	a user.Actor,
	in channel.ID,
	key string,
	below message.ID,
) (message.ID, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return 0, err
	}
	c := v.Channel(in)
	if !permission.Reads(v, c, u) || c.Archived {
		return 0, channel.Invalid()
	}
	if !u.IsAdmin() {
		return 0, permission.RoleRequired(user.Admin)
	}
	heads, err := s.Store.InTopic(ctx, message.OfChannel(in), key, below, messagesPerBlock)
	if err != nil || len(heads) == 0 {
		return 0, err
	}
	next := heads[len(heads)-1].ID
	if len(heads) < messagesPerBlock {
		next = 0
	}
	if !c.HistoryPublic {
		seen, err := s.Access.FilterVisible(ctx, v, u, heads)
		if err != nil {
			return 0, err
		}
		heads = heads[:0]
		for _, f := range seen {
			heads = append(heads, f.Message)
		}
	}
	ms, err := s.Store.Lock(ctx, a.Realm, idsOf(heads))
	if err != nil || len(ms) == 0 {
		return next, err
	}
	return next, s.Remove(ctx, v, a, ms)
}

// runEmptied runs message.Emptied if the topic is empty. It may still contain messages that the actor cannot see.
func (s *Service) runEmptied(ctx context.Context, a user.Actor, in channel.ID, key string) error {
	remaining, err := s.Store.InTopic(ctx, message.OfChannel(in), key, message.MaxID, 1)
	if err != nil || len(remaining) > 0 {
		return err
	}
	if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
		return err
	}
	return s.Hooks.Run(ctx, &message.Emptied{Realm: a.Realm, By: a, Channel: in, Key: key})
}

// Remove deletes messages of one conversation and topic and notifies the users who could see them. The rows must be
// locked. Call it inside Do.
func (s *Service) Remove(ctx context.Context, v *directory.View, by user.Actor, ms []message.Message) error {
	shares, err := s.Audience.Shares(ctx, v, ms)
	if err != nil {
		return err
	}
	c := message.ChannelOf(v, ms[0].Recipient)
	if permission.Reads(v, c, v.User(by.User)) {
		shares = withActor(v, shares, by.User, ms)
	}
	return s.Erase(ctx, v, by, ms, shares, c)
}

// Erase moves messages to the archive, notifies the shares, and updates the oldest message of c if c is not nil. If c
// is not nil, all messages are in c. The rows must be locked. Call it inside Do.
func (s *Service) Erase(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	ms []message.Message,
	shares []audience.Share,
	c *channel.Channel,
) error {
	if err := s.archive(ctx, v, by, ms, shares); err != nil {
		return err
	}
	return s.UpdateFirst(ctx, by, c)
}

// archive moves messages and everything that belongs to them to the archive and notifies the shares. ms must be
// ascending and the rows locked.
func (s *Service) archive(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	ms []message.Message,
	shares []audience.Share,
) error {
	if _, err := s.Log.Lock(ctx, by.Realm); err != nil {
		return err
	}
	if err := s.Hooks.Run(ctx, &message.Deleted{Realm: by.Realm, By: by, Messages: ms}); err != nil {
		return err
	}
	unstarred, err := s.Flags.DropDeleted(ctx, v, idsOf(ms), audience.NotifiedBy(v, shares))
	if err != nil {
		return err
	}
	if err := s.Store.Delete(ctx, ms, by.User, s.Clock.Now()); err != nil {
		return err
	}
	return s.Log.Append(ctx, append(byTopic(by.Realm, shares, ms[0].ID), unstarred...)...)
}

// withActor adds the actor to the shares if they do not include the actor. The actor must be able to see all messages.
func withActor(v *directory.View, shares []audience.Share, by user.ID, ms []message.Message) []audience.Share {
	if slices.ContainsFunc(shares, func(h audience.Share) bool { return h.To.Includes(v, by) }) {
		return shares
	}
	if i := slices.IndexFunc(shares, func(h audience.Share) bool { return len(h.Messages) == len(ms) }); i >= 0 {
		shares[i].To = shares[i].To.And(by)
		return shares
	}
	return append(shares, audience.Share{To: event.To(by), Messages: ms})
}

func idsOf(ms []message.Message) []message.ID {
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	return ids
}

// UpdateFirst updates c's oldest message after messages were removed from or moved to c. If c is nil, it does nothing.
// Call it inside Do.
func (s *Service) UpdateFirst(ctx context.Context, by user.Actor, c *channel.Channel) error {
	if c == nil {
		return nil
	}
	oldest, err := s.Store.Oldest(ctx, message.OfChannel(c.ID))
	if err != nil || int64(oldest) == c.FirstMessage {
		return err
	}
	return s.Hooks.Run(ctx, &channel.FirstMoved{Realm: by.Realm, Channel: c.ID, First: int64(oldest)})
}

// archivePeriod is the period for which deleted messages are kept in the archive.
const archivePeriod = 30 * 24 * time.Hour

// EmptyArchive deletes expired messages from the archive. It is run by a job.
func (s *Service) EmptyArchive(ctx context.Context) error {
	for {
		n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
			return s.Store.EmptyArchive(ctx, s.Clock.Now().Add(-archivePeriod), messagesPerBlock)
		})
		if err != nil || n < messagesPerBlock {
			return err
		}
	}
}
