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

// trigger is an action that may set an automatic policy: a user took part in a topic or was mentioned there.
type trigger struct {
	user      *user.User
	message   message.Message     // the message that the user sent, reacted to, or was mentioned in
	did       topic.Participation // Wrote becomes Started if loadFacts finds that the message starts the topic
	mentioned bool
	moved     bool // the message was moved to the topic, which may start the topic but does not count as writing
}

func (t *trigger) key() policyKey {
	c, _ := t.message.Recipient.Channel()
	return policyKey{t.user.ID, readstate.Topic{Channel: c, Key: t.message.TopicKey}}
}

// after returns the policy that results from the trigger.
func (t *trigger) after(had topic.Visibility, did topic.Participation, inMuted bool) topic.Visibility {
	if t.mentioned {
		return topic.OnMention(had)
	}
	if t.moved && did != topic.Started {
		return had
	}
	s := t.user.Settings
	follow, unmute := topic.When(s.AutomaticallyFollowTopicsPolicy), topic.When(s.AutomaticallyUnmuteTopicsPolicy)
	if t.moved {
		follow, unmute = follow.OnlyStart(), unmute.OnlyStart()
	}
	return topic.Automatic(had, follow, unmute, did, inMuted)
}

// strongestPart returns the strongest participation that is still possible. loadFacts compares its effect with that of
// did to decide which queries are needed.
func (t *trigger) strongestPart() topic.Participation {
	if t.did == topic.Wrote {
		return topic.Started
	}
	return t.did
}

// facts holds the data needed to evaluate triggers.
type facts struct {
	had     map[policyKey]topic.Visibility
	inMuted map[channel.SubscriptionRef]bool
	starts  map[*trigger]bool
}

// policy returns the policy that results from a trigger.
func (f *facts) policy(t *trigger) topic.Visibility {
	k := t.key()
	did := t.did
	if f.starts[t] {
		did = topic.Started
	}
	return t.after(f.had[k], did, f.inMuted[channel.SubscriptionRef{User: k.User, Channel: k.Channel}])
}

// loadFacts reads the facts with at most three queries. It skips queries that cannot change the outcome.
func (s *service) loadFacts(ctx context.Context, r realm.ID, ts []*trigger) (*facts, error) {
	keys := make([]policyKey, len(ts))
	for i, t := range ts {
		keys[i] = t.key()
	}
	rows, err := s.rows.At(ctx, keys)
	f := &facts{had: make(map[policyKey]topic.Visibility, len(rows)), starts: map[*trigger]bool{}}
	if err != nil {
		return nil, err
	}
	for k, r := range rows {
		f.had[k] = r.Policy
	}
	mutes, starts := channel.MutedAmong{Realm: r}, message.TopicStarts{Realm: r}
	var candidates []*trigger
	for i, t := range ts {
		had, strongest := f.had[keys[i]], t.strongestPart()
		if t.after(had, strongest, true) != t.after(had, strongest, false) ||
			t.after(had, t.did, true) != t.after(had, t.did, false) {
			mutes.Subscriptions = append(mutes.Subscriptions,
				channel.SubscriptionRef{User: t.user.ID, Channel: keys[i].Channel})
		}
		if t.after(had, strongest, true) != t.after(had, t.did, true) ||
			t.after(had, strongest, false) != t.after(had, t.did, false) {
			starts.Messages = append(starts.Messages, t.message)
			candidates = append(candidates, t)
		}
	}
	if len(mutes.Subscriptions) > 0 {
		if f.inMuted, _, err = s.Muted.Ask(ctx, mutes); err != nil {
			return nil, err
		}
	}
	if len(candidates) == 0 {
		return f, nil
	}
	begins, _, err := s.Starts.Ask(ctx, starts)
	for i, yes := range begins {
		f.starts[candidates[i]] = yes
	}
	return f, err
}

// applyTriggers applies the triggers in order and returns the changed policies.
func (s *service) applyTriggers(
	ctx context.Context, r realm.ID, ts []*trigger,
) (map[policyKey]topic.Visibility, error) {
	cs, err := s.triggered(ctx, r, ts)
	if err != nil {
		return nil, err
	}
	now := map[policyKey]topic.Visibility{}
	for _, c := range cs {
		now[c.key()] = c.Policy
	}
	return now, s.write(ctx, cs)
}

// triggered returns the changes that result from the triggers in order, at most one for each policy.
func (s *service) triggered(ctx context.Context, r realm.ID, ts []*trigger) ([]changed, error) {
	if len(ts) == 0 {
		return nil, nil
	}
	f, err := s.loadFacts(ctx, r, ts)
	if err != nil {
		return nil, err
	}
	had, last := map[policyKey]topic.Visibility{}, map[policyKey]*trigger{}
	var order []*trigger
	for _, t := range ts {
		k := t.key()
		policy := f.policy(t)
		if policy == f.had[k] {
			continue
		}
		if last[k] == nil {
			had[k] = f.had[k]
			order = append(order, t)
		}
		f.had[k], last[k] = policy, t
	}
	cs := make([]changed, len(order))
	for i, t := range order {
		k := t.key()
		cs[i] = changed{row{
			UserID: k.User, ChannelID: k.Channel, TopicKey: k.Key, RealmID: r, Topic: t.message.Topic,
			Policy: f.had[k], Automatic: !last[k].mentioned, UpdatedAt: s.Clock.Now(),
		}, had[k]}
	}
	return cs, nil
}

// human returns the record of an active human user, or nil.
func human(v *directory.View, id user.ID) *user.User {
	if u := v.User(id); u != nil && u.Active && !u.IsBot() && !u.System {
		return u
	}
	return nil
}

// MayChange implements [ports.AutomaticPolicies].
func (s *service) MayChange(ctx context.Context, by user.Actor, c channel.ID, name string) (bool, error) {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return false, err
	}
	u := human(v, by.User)
	if u == nil {
		return false, nil
	}
	t := &trigger{user: u, did: topic.Wrote, message: message.Message{
		Realm: by.Realm, Sender: u.ID, Recipient: message.OfChannel(c), Topic: name, TopicKey: topic.Key(name),
	}}
	at := t.key().Topic
	if s.noops.has(by.Realm, v.Seq(), u.ID, at) {
		return false, nil
	}
	f, err := s.loadFacts(ctx, by.Realm, []*trigger{t})
	if err != nil {
		return false, err
	}
	if f.policy(t) != f.had[t.key()] {
		return true, nil
	}
	s.noops.put(by.Realm, v.Seq(), u.ID, at)
	return false, nil
}

// Apply implements [ports.AutomaticPolicies].
func (s *service) Apply(
	ctx context.Context, m *message.Sent, changing map[message.ID]bool,
) (map[message.ID]topic.Visibility, error) {
	if len(changing)+len(m.Mentioned) == 0 {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return nil, err
	}
	var wrote, all []*trigger
	for _, msg := range m.Messages {
		if _, isChannel := msg.Recipient.Channel(); !isChannel {
			continue
		}
		if u := human(v, msg.Sender); u != nil && changing[msg.ID] {
			t := &trigger{user: u, message: msg, did: topic.Wrote}
			wrote, all = append(wrote, t), append(all, t)
		}
		for _, id := range m.Mentioned[msg.ID] {
			if u := human(v, id); u != nil && u.Settings.AutomaticallyFollowTopicsMentioned {
				all = append(all, &trigger{user: u, message: msg, mentioned: true})
			}
		}
	}
	now, err := s.applyTriggers(ctx, m.Realm, all)
	if err != nil {
		return nil, err
	}
	acquired := map[message.ID]topic.Visibility{}
	for _, t := range wrote {
		if policy, ok := now[t.key()]; ok {
			acquired[t.message.ID] = policy
			delete(now, t.key()) // only the first message has changed the policy
		}
	}
	return acquired, nil
}

// reacted applies the automatic policies of users who have reacted.
func (s *service) reacted(ctx context.Context, m *message.Reacted) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var ts []*trigger
	for _, r := range m.Reactions {
		ts = append(ts, tookPart(v, r.User, m.Messages[r.Message])...)
	}
	_, err = s.applyTriggers(ctx, m.Realm, ts)
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

// tookPart returns the trigger for a user who took part in a topic, or nil if it cannot change the policy.
func tookPart(v *directory.View, by user.ID, m message.Message) []*trigger {
	u := human(v, by)
	if _, isChannel := m.Recipient.Channel(); !isChannel || u == nil {
		return nil
	}
	t := &trigger{user: u, message: m, did: topic.TookPart}
	if t.after(topic.None, t.did, true) == topic.None && t.after(topic.Muted, t.did, true) == topic.Muted {
		return nil
	}
	return []*trigger{t}
}
