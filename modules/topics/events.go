package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// policy is a policy as sent to clients, and the payload of user_topic.
type policy struct {
	Channel channel.ID       `json:"stream_id"`
	Topic   string           `json:"topic_name"`
	Updated int64            `json:"last_updated"` // Unix seconds
	Policy  topic.Visibility `json:"visibility_policy"`
}

func shown(r row, knowsEmpty bool) policy {
	return policy{r.ChannelID, topic.Show(r.Topic, knowsEmpty), r.UpdatedAt.Unix(), r.Policy}
}

// changedList is the payload of muted_topics: the user whose muted topics have changed. The topics are read at
// delivery.
type changedList struct {
	User user.ID `json:"user"`
	rows []row
}

// mutedList is a list of muted topics as sent to older clients: channel name, topic, and Unix seconds.
type mutedList struct {
	Muted [][3]any `json:"muted_topics"`
}

var (
	userTopic   = kit.Event[policy]("user_topic", "").Shape(showPolicy).Sends(policy{})
	mutedTopics = kit.Event[changedList]("muted_topics", "").Shape(showList).Sends(mutedList{})
)

// changed is a row with a new policy, and the policy that it replaces.
type changed struct {
	row
	Had topic.Visibility
}

// changeEvents returns the events for changed policies: one user_topic event for all users who now have the same policy
// for a topic with the same spelling, and a muted_topics event for each user whose muted topics have changed. Queues
// that request user_topic do not receive muted_topics.
func changeEvents(cs []changed) []event.Event {
	type same struct {
		at     readstate.Topic
		policy topic.Visibility
		name   string // "" for topic.None
	}
	var order []same
	of := map[same][]changed{}
	var lists []user.ID
	for _, c := range cs {
		k := same{c.key().Topic, c.Policy, c.Topic}
		if c.Policy == topic.None {
			k.name = ""
		}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], c)
		if c.Policy == topic.Muted || c.Had == topic.Muted {
			lists = append(lists, c.UserID)
		}
	}
	var out []event.Event
	for _, k := range order {
		us := make([]user.ID, len(of[k]))
		for i, c := range of[k] {
			us[i] = c.UserID
		}
		first, to := of[k][0].row, event.Each(us...)
		if len(us) == 1 {
			to = event.To(us[0])
		}
		out = append(out, userTopic.To(first.RealmID, to, shown(first, true)))
	}
	for _, u := range idset.Of(lists...) {
		out = append(out, mutedTopics.To(cs[0].RealmID, event.To(u), changedList{User: u}))
	}
	return out
}

// loadLists reads the muted topics for a page of events with one query.
func (s *service) loadLists(ctx context.Context, v *directory.View, all []*changedList) error {
	ids := make([]user.ID, len(all))
	for i, p := range all {
		ids[i] = p.User
	}
	rows, err := s.rows.Of(ctx, v.Realm().ID, ids...)
	if err != nil {
		return err
	}
	of := map[user.ID][]row{}
	for _, r := range rows {
		of[r.UserID] = append(of[r.UserID], r)
	}
	for _, p := range all {
		p.rows = of[p.User]
	}
	return nil
}

// muted returns u's muted topics in channels that u can see.
func muted(v *directory.View, u user.ID, rows []row, knowsEmpty bool) mutedList {
	out := mutedList{[][3]any{}}
	for _, r := range rows {
		if c := v.Channel(r.ChannelID); r.Policy == topic.Muted && permission.SeesChannel(v, c, v.User(u)) {
			out.Muted = append(out.Muted, [3]any{c.Name, topic.Show(r.Topic, knowsEmpty), r.UpdatedAt.Unix()})
		}
	}
	return out
}

func showPolicy(_ context.Context, _ *directory.View, c event.Client, p *policy) (any, bool) {
	q := *p
	q.Topic = topic.Show(p.Topic, c.EmptyTopicName)
	return q, true
}

func showList(_ context.Context, v *directory.View, c event.Client, p *changedList) (any, bool) {
	return muted(v, p.User, p.rows, c.EmptyTopicName), true
}
