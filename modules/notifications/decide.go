package notifications

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// messagesPerBatch is the maximum number of messages decided at once.
const messagesPerBatch = 100

// decide is the job that decides on notifications about new messages, oldest first.
func (s *service) decide(ctx context.Context) error {
	for {
		rows, err := s.store.Pending(ctx, messagesPerBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		byRealm := map[realm.ID][]pending{}
		var order []realm.ID
		for _, r := range rows {
			if byRealm[r.RealmID] == nil {
				order = append(order, r.RealmID)
			}
			byRealm[r.RealmID] = append(byRealm[r.RealmID], r)
		}
		var all []error
		for _, id := range order {
			all = append(all, s.decideIn(ctx, id, byRealm[id]))
		}
		if err := errors.Join(all...); err != nil {
			return err
		}
	}
}

// decideIn decides on notifications about messages of one realm.
func (s *service) decideIn(ctx context.Context, r realm.ID, rows []pending) error {
	var idle []notification.Notice
	var waits []wait
	v, err := s.Directory.View(ctx, r)
	switch {
	case errs.Is(err, errs.NotFound): // the realm is being deleted
	case err != nil:
		return err
	case v.Realm() != nil && !v.Realm().Deactivated:
		all, err := s.candidates(ctx, v, rows)
		if err != nil {
			return err
		}
		var online []notification.Notice
		if idle, online, err = s.split(ctx, v, all); err != nil {
			return err
		}
		waits = s.waits(v, online)
	}
	ids := make([]message.ID, len(rows))
	for i, row := range rows {
		ids[i] = row.MessageID
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		claimed, err := s.store.ClaimPending(ctx, ids)
		if err != nil {
			return err
		}
		taken := idset.Of(claimed...) // other nodes have claimed the rest
		now := slices.DeleteFunc(slices.Clone(idle), func(n notification.Notice) bool { return !taken.Has(n.Message) })
		if err := s.runHooks(ctx, r, now); err != nil {
			return err
		}
		s.Work.AfterCommit(ctx, s.held.Added)
		return s.store.AddWaits(
			ctx,
			slices.DeleteFunc(slices.Clone(waits), func(w wait) bool { return !taken.Has(w.MessageID) }),
		)
	})
}

// runHooks runs notification.Decided for notices, if there are any that are not silenced.
func (s *service) runHooks(ctx context.Context, r realm.ID, notices []notification.Notice) error {
	notices, err := s.audible(ctx, r, notices)
	if err != nil || len(notices) == 0 {
		return err
	}
	return s.Hooks.Run(ctx, &notification.Decided{Realm: r, Notices: notices})
}

// batch holds the data needed to decide on a batch of messages.
type batch struct {
	view     *directory.View
	topics   map[readstate.Topic]map[user.ID]topic.Visibility
	settings map[channel.ID]map[user.ID]notification.Subscription
}

// candidates returns the notices that the messages would cause if all users were idle.
func (s *service) candidates(ctx context.Context, v *directory.View, rows []pending) ([]notification.Notice, error) {
	ids := make([]message.ID, len(rows))
	row := map[message.ID]pending{}
	for i, r := range rows {
		ids[i], row[r.MessageID] = r.MessageID, r
	}
	all, err := s.Receivers.MessageFlags(ctx, v.Realm().ID, ids...)
	if err != nil {
		return nil, err
	}
	b, err := s.load(ctx, v, all)
	if err != nil {
		return nil, err
	}
	var out []notification.Notice
	for i := range all {
		r := row[all[i].ID]
		before := message.MentionedInHTML{}
		if r.Edited {
			if err := json.Unmarshal([]byte(r.Named), &before); err != nil {
				return nil, err
			}
		}
		out = append(out, b.notices(&all[i], r.Edited, before)...)
	}
	return out, nil
}

// load reads users' notification settings for the channels and topics of messages.
func (s *service) load(ctx context.Context, v *directory.View, all []message.UserFlags) (*batch, error) {
	var channels []channel.ID
	topics := map[readstate.Topic]bool{}
	var places []readstate.Topic
	for i := range all {
		c, isChannel := all[i].Recipient.Channel()
		if at := (readstate.Topic{Channel: c, Key: all[i].TopicKey}); isChannel && !topics[at] {
			topics[at] = true
			places, channels = append(places, at), append(channels, c)
		}
	}
	b := &batch{view: v}
	if len(places) == 0 {
		return b, nil
	}
	var err error
	r := v.Realm().ID
	if b.topics, _, err = s.Policies.Ask(ctx, readstate.TopicPolicies{Realm: r, Topics: places}); err != nil {
		return nil, err
	}
	b.settings, _, err = s.Subscriptions.Ask(ctx,
		notification.SubscriptionsTo{Realm: r, Channels: idset.Of(channels...)})
	return b, err
}

// notices returns the notices that one message would cause if all users were idle.
func (b *batch) notices(m *message.UserFlags, edited bool, before message.MentionedInHTML) []notification.Notice {
	c, isChannel := m.Recipient.Channel()
	sender := b.view.User(m.Sender)
	if isChannel &&
		(sender == nil || sender.System || m.Notice != 0) { // the server's messages in channels notify no one
		return nil
	}
	if sender != nil && sender == b.view.SystemBot(user.WelcomeBot) {
		return nil
	}
	receivers := m.Members
	if isChannel {
		receivers = b.view.Subscribers(c)
	}
	named := message.MentionsIn(m.Rendered)
	at := readstate.Topic{Channel: c, Key: m.TopicKey}
	var out []notification.Notice
	for _, id := range receivers {
		u := b.view.User(id)
		if id == m.Sender || u == nil || !u.Active || u.IsBot() || b.view.Muted(id).Has(m.Sender) || m.ReadFor == id {
			continue
		}
		flags := m.Flags[id]
		k := notification.Case{
			Direct: !isChannel, Mentioned: flags&(message.Mentioned|message.AlertWord) != 0,
			TopicWildcard:   flags&message.TopicWildcard != 0,
			ChannelWildcard: isChannel && m.Facts&message.ChannelWildcard != 0, Topic: b.topics[at][id],
			Subscription: b.settings[c][id], Settings: &u.Settings,
		}
		n := notification.Notice{User: id, Message: m.ID}
		if edited {
			n.Push = b.editTrigger(k, notification.Push, flags, before, id)
			n.Email = b.editTrigger(k, notification.Email, flags, before, id)
		} else {
			n.Push, n.Email = k.Reason(notification.Push), k.Reason(notification.Email)
		}
		if n.Push == notification.None && n.Email == notification.None {
			continue
		}
		if flags&message.Mentioned != 0 && flags&message.Personally == 0 {
			n.Group = b.smallestGroup(named.Groups, id)
		}
		out = append(out, n)
	}
	return out
}

// editTrigger returns the trigger of a notification about an edit. It is None unless the edit newly mentions the user
// and the user was not notified of the message for another reason.
func (b *batch) editTrigger(
	k notification.Case,
	kind notification.Kind,
	flags message.Flag,
	before message.MentionedInHTML,
	u user.ID,
) notification.Trigger {
	k.Mentioned = flags&message.Mentioned != 0
	unmentioned := k
	unmentioned.Mentioned, unmentioned.TopicWildcard, unmentioned.ChannelWildcard = false, false, false
	wasMentioned := before.Channel || before.Topic && k.TopicWildcard || slices.Contains(before.Users, u) ||
		slices.ContainsFunc(before.Groups, func(g group.ID) bool { return permission.Member(b.view, g, u) })
	if wasMentioned || unmentioned.Reason(kind) != notification.None {
		return notification.None
	}
	return k.Reason(kind)
}

// smallestGroup returns the smallest of the groups that u belongs to, or 0.
func (b *batch) smallestGroup(groups []group.ID, u user.ID) group.ID {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g group.ID) bool {
		return b.view.Group(g) == nil || !permission.Member(b.view, g, u)
	})
	if len(groups) == 0 {
		return 0
	}
	size := func(g group.ID) int { return len(permission.Members(b.view, group.Named(g))) }
	return slices.MinFunc(
		groups,
		func(x, y group.ID) int { return cmp.Or(cmp.Compare(size(x), size(y)), cmp.Compare(x, y)) },
	)
}

// split splits notices into those to deliver now and those held back because the user is not idle.
func (s *service) split(
	ctx context.Context,
	v *directory.View,
	all []notification.Notice,
) (now, later []notification.Notice, err error) {
	if len(all) == 0 {
		return nil, nil, nil
	}
	var us []user.ID
	for _, n := range all {
		us = append(us, n.User)
	}
	online, err := s.online(ctx, v, idset.Of(us...))
	if err != nil {
		return nil, nil, err
	}
	for _, n := range all {
		if !online.Has(n.User) {
			now = append(now, n)
			continue
		}
		push, held := n, n
		push.Email, held.Push = notification.None, notification.None
		if notification.Push.Online(&v.User(n.User).Settings) && n.Push != notification.None {
			now = append(now, push)
		} else {
			held.Push = n.Push
		}
		if held.Push != notification.None || held.Email != notification.None {
			later = append(later, held)
		}
	}
	return now, later, nil
}

// online returns the members of us who are not idle.
func (s *service) online(ctx context.Context, v *directory.View, us user.Set) (user.Set, error) {
	listening, _, err := s.Listening.Ask(ctx, event.Listening{Realm: v.Realm().ID, Users: us})
	if err != nil || len(listening) == 0 {
		return nil, err
	}
	var out []user.ID
	for u := range listening {
		out = append(out, u)
	}
	if v.Realm().Settings.PresenceDisabled {
		return idset.Of(out...), nil
	}
	since := s.Clock.Now().Add(-presence.OfflineAfter)
	recent, known, err := s.RecentlyActive.Ask(ctx, user.RecentlyActive{Realm: v.Realm().ID, Since: since})
	if err != nil || !known {
		return idset.Of(out...), err
	}
	return idset.Of(out...).And(recent), nil
}
