package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// trigger is the reason for a possible automatic policy: a user took part in a topic or was mentioned there.
type trigger struct {
	user      *user.User
	message   message.Message // the message that the user sent, reacted to, or was mentioned in
	did       topic.Part      // for users who wrote, loadFacts determines whether it is Started
	mentioned bool
	moved     bool // the message was moved there, which can start a topic but is not writing
}

func (w *trigger) place() place {
	c, _ := w.message.Recipient.Channel()
	return place{w.user.ID, readstate.Topic{Channel: c, Key: w.message.TopicKey}}
}

// after returns the policy that results from the trigger.
func (w *trigger) after(had topic.Visibility, did topic.Part, inMuted bool) topic.Visibility {
	if w.mentioned {
		return topic.OnMention(had)
	}
	if w.moved && did != topic.Started {
		return had
	}
	s := w.user.Settings
	follow, unmute := topic.When(s.AutomaticallyFollowTopicsPolicy), topic.When(s.AutomaticallyUnmuteTopicsPolicy)
	if w.moved {
		follow, unmute = follow.OnlyStart(), unmute.OnlyStart()
	}
	return topic.Automatic(had, follow, unmute, did, inMuted)
}

// maxPart returns the strongest possible participation. Comparing its effect shows which queries are needed.
func (w *trigger) maxPart() topic.Part {
	if w.did == topic.Wrote {
		return topic.Started
	}
	return w.did
}

// facts holds the data needed to evaluate triggers.
type facts struct {
	had     map[place]topic.Visibility
	inMuted map[channel.SubscriptionRef]bool
	starts  map[*trigger]bool
}

func (f *facts) policy(w *trigger) topic.Visibility {
	k := w.place()
	did := w.did
	if f.starts[w] {
		did = topic.Started
	}
	return w.after(f.had[k], did, f.inMuted[channel.SubscriptionRef{User: k.User, Channel: k.Channel}])
}

// loadFacts reads the facts with at most three queries. It skips queries that cannot change the outcome.
func (s *service) loadFacts(ctx context.Context, r realm.ID, ws []*trigger) (*facts, error) {
	places := make([]place, len(ws))
	for i, w := range ws {
		places[i] = w.place()
	}
	had, err := s.rows.At(ctx, places)
	f := &facts{had: had, starts: map[*trigger]bool{}}
	if err != nil {
		return nil, err
	}
	mutes, starts := channel.MutedAmong{Realm: r}, message.TopicStarts{Realm: r}
	var asked []*trigger
	for i, w := range ws {
		had, most := had[places[i]], w.maxPart()
		if w.after(had, most, true) != w.after(had, most, false) || w.after(had, w.did, true) != w.after(had, w.did, false) {
			mutes.Subscriptions = append(mutes.Subscriptions,
				channel.SubscriptionRef{User: w.user.ID, Channel: places[i].Channel})
		}
		if w.after(had, most, true) != w.after(had, w.did, true) || w.after(had, most, false) != w.after(had, w.did, false) {
			starts.Messages = append(starts.Messages, w.message)
			asked = append(asked, w)
		}
	}
	if len(mutes.Subscriptions) > 0 {
		if f.inMuted, _, err = s.Muted.Ask(ctx, mutes); err != nil {
			return nil, err
		}
	}
	if len(asked) == 0 {
		return f, nil
	}
	begins, _, err := s.Starts.Ask(ctx, starts)
	for i, yes := range begins {
		f.starts[asked[i]] = yes
	}
	return f, err
}

// applyTriggers applies the triggers in order and returns the changed policies.
func (s *service) applyTriggers(ctx context.Context, r realm.ID, ws []*trigger) (map[place]topic.Visibility, error) {
	if len(ws) == 0 {
		return nil, nil
	}
	f, err := s.loadFacts(ctx, r, ws)
	if err != nil {
		return nil, err
	}
	had, now := map[place]topic.Visibility{}, map[place]topic.Visibility{}
	var order []*trigger
	for _, w := range ws {
		k := w.place()
		policy := f.policy(w)
		if policy == f.had[k] {
			continue
		}
		if _, again := now[k]; !again {
			had[k] = f.had[k]
			order = append(order, w)
		}
		f.had[k], now[k] = policy, policy
	}
	cs := make([]changed, len(order))
	for i, w := range order {
		k := w.place()
		cs[i] = changed{row{
			UserID: k.User, ChannelID: k.Channel, TopicKey: k.Key, RealmID: r, Topic: w.message.Topic, Policy: now[k],
			UpdatedAt: s.Clock.Now(),
		}, had[k]}
	}
	return now, s.write(ctx, cs)
}

// human returns the record of an active human user, or nil.
func human(v *directory.View, id user.ID) *user.User {
	if u := v.User(id); u != nil && u.Active && !u.IsBot() && !u.System {
		return u
	}
	return nil
}

// sending determines, before the transaction, whether a message may change its sender's policy.
func (s *service) sending(ctx context.Context, m *message.Sending) error {
	if m.Message.Channel == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, m.By.Realm)
	if err != nil {
		return err
	}
	u := human(v, m.By.User)
	if u == nil {
		return nil
	}
	w := &trigger{user: u, did: topic.Wrote, message: message.Message{
		Realm: m.By.Realm, Sender: u.ID, Recipient: message.OfChannel(m.Message.Channel), Topic: m.Message.Topic,
		TopicKey: topic.Key(m.Message.Topic),
	}}
	at := w.place().Topic
	if s.noops.has(m.By.Realm, v.Seq(), u.ID, at) {
		return nil
	}
	f, err := s.loadFacts(ctx, m.By.Realm, []*trigger{w})
	if err != nil {
		return err
	}
	if m.Message.Raises = f.policy(w) != f.had[w.place()]; !m.Message.Raises {
		s.noops.put(m.By.Realm, v.Seq(), u.ID, at)
	}
	return nil
}

// sent applies the automatic policies of senders, then of mentioned users.
func (s *service) sent(ctx context.Context, m *message.Sent) error {
	if len(m.Raises)+len(m.Mentioned) == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var wrote, all []*trigger
	for _, msg := range m.Messages {
		if _, isChannel := msg.Recipient.Channel(); !isChannel {
			continue
		}
		if u := human(v, msg.Sender); u != nil && m.Raises[msg.ID] {
			w := &trigger{user: u, message: msg, did: topic.Wrote}
			wrote, all = append(wrote, w), append(all, w)
		}
		for _, id := range m.Mentioned[msg.ID] {
			if u := human(v, id); u != nil && u.Settings.AutomaticallyFollowTopicsMentioned {
				all = append(all, &trigger{user: u, message: msg, mentioned: true})
			}
		}
	}
	now, err := s.applyTriggers(ctx, m.Realm, all)
	if err != nil {
		return err
	}
	if m.Policies == nil {
		m.Policies = map[message.ID]topic.Visibility{}
	}
	for _, w := range wrote {
		if policy, ok := now[w.place()]; ok {
			m.Policies[w.message.ID] = policy
			delete(now, w.place()) // only the first message has changed it
		}
	}
	return nil
}

// reacted applies the automatic policies of users who have reacted.
func (s *service) reacted(ctx context.Context, m *message.Reacted) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var ws []*trigger
	for _, r := range m.Reactions {
		ws = append(ws, tookPart(v, r.User, m.Messages[r.Message])...)
	}
	_, err = s.applyTriggers(ctx, m.Realm, ws)
	return err
}

// participated applies the automatic policy of a user who has added a submessage to a message.
func (s *service) participated(ctx context.Context, m *message.Participated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	_, err = s.applyTriggers(ctx, m.Realm, tookPart(v, m.By, m.Message))
	return err
}

// tookPart returns the trigger for a user who took part in a topic, or none if it cannot change the policy.
func tookPart(v *directory.View, by user.ID, m message.Message) []*trigger {
	u := human(v, by)
	if _, isChannel := m.Recipient.Channel(); !isChannel || u == nil {
		return nil
	}
	w := &trigger{user: u, message: m, did: topic.TookPart}
	if w.after(topic.None, w.did, true) == topic.None && w.after(topic.Muted, w.did, true) == topic.Muted {
		return nil
	}
	return []*trigger{w}
}
