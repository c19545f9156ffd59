package topics

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type setReq struct {
	Channel channel.ID       `json:"stream_id"`
	Topic   string           `json:"topic"`
	Policy  topic.Visibility `json:"visibility_policy"`
}

// post handles POST /user_topics. Errors: BadRequest.
func (s *service) post(ctx context.Context, a kit.Actor, in setReq) (kit.None, error) {
	return kit.None{}, s.Set(ctx, a, in.Channel, in.Topic, in.Policy)
}

// Set implements [ports.TopicPolicies].
func (s *service) Set(
	ctx context.Context, as user.Actor, c channel.ID, name string, policy topic.Visibility,
) error {
	if err := topic.CheckVisibility(policy); err != nil {
		return err
	}
	return s.change(ctx, as, name, policy, func(v *directory.View) (*channel.Channel, error) { return byID(v, c) })
}

type muteReq struct {
	ID    *channel.ID `json:"stream_id"`
	Name  *string     `json:"stream"`
	Topic string      `json:"topic"`
	Op    string      `json:"op" enum:"add,remove"`
}

// mute handles PATCH /users/me/subscriptions/muted_topics. Errors: BadRequest.
func (s *service) mute(ctx context.Context, a kit.Actor, in muteReq) (kit.None, error) {
	policies := map[string]topic.Visibility{"add": topic.Muted, "remove": topic.None}
	policy, ok := policies[in.Op]
	switch {
	case !ok:
		return kit.None{}, errs.Bad("Invalid op")
	case in.ID == nil && in.Name == nil:
		return kit.None{}, errs.Bad("Please supply 'stream' or 'stream_id'.")
	case in.ID != nil && in.Name != nil:
		return kit.None{}, errs.Bad("Unsupported parameter combination").With("parameters", []string{"stream_id", "stream"})
	}
	return kit.None{}, s.change(ctx, a, in.Topic, policy, func(v *directory.View) (*channel.Channel, error) {
		if in.ID != nil {
			return byID(v, *in.ID)
		}
		// The response must not reveal whether a channel that the caller cannot read exists, not even when a policy is
		// removed.
		if c := v.ChannelByName(*in.Name); permission.Reads(v, c, v.User(a.User)) {
			return c, nil
		}
		return nil, errs.Bad("Invalid channel name '%s'", *in.Name)
	})
}

func byID(v *directory.View, id channel.ID) (*channel.Channel, error) {
	if c := v.Channel(id); c != nil {
		return c, nil
	}
	return nil, channel.Invalid()
}

// change sets a policy and notifies the user's clients if it has changed. Errors: BadRequest.
func (s *service) change(
	ctx context.Context,
	a kit.Actor,
	name string,
	policy topic.Visibility,
	channelIn func(*directory.View) (*channel.Channel, error),
) error {
	name, err := topic.CheckNamed(name)
	if err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		c, err := channelIn(v)
		if err != nil {
			return err
		}
		r := row{
			UserID: a.User, ChannelID: c.ID, TopicKey: topic.Key(name), RealmID: a.Realm, Topic: name, Policy: policy,
			UpdatedAt: s.Clock.Now(),
		}
		// Automatic policies are written under the realm's lock. Taking it here avoids blocking on their rows and making
		// decisions based on outdated ones.
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		set, err := s.rows.At(ctx, []policyKey{r.key()})
		if err != nil {
			return err
		}
		had := set[r.key()].Policy
		// Removing a policy requires no access. A user without access and without a policy gets the same error as for a
		// missing channel.
		if !permission.Reads(v, c, v.User(a.User)) && (policy != topic.None || had == topic.None) {
			return channel.Invalid()
		}
		if had == policy {
			return nil
		}
		if had == topic.None {
			if err := s.checkCount(ctx, a.User); err != nil {
				return err
			}
		}
		return s.write(ctx, []changed{{r, had}})
	})
}

// checkCount checks that the user has fewer policies than the maximum. Errors: BadRequest.
func (s *service) checkCount(ctx context.Context, u user.ID) error {
	n, err := s.rows.Count(ctx, u)
	if err == nil && n >= s.cfg.MaxPolicies {
		err = errs.Bad("Too many topics have a visibility policy (limit: %d). Reset some first.", s.cfg.MaxPolicies)
	}
	return err
}

// write stores changes and appends their events.
func (s *service) write(ctx context.Context, cs []changed) error {
	if len(cs) == 0 {
		return nil
	}
	rows := make([]row, len(cs))
	for i, c := range cs {
		rows[i] = c.row
	}
	if err := s.rows.Set(ctx, rows...); err != nil {
		return err
	}
	return s.Log.Append(ctx, changeEvents(cs)...)
}
