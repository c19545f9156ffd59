package messages_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// mutedPlaces replaces the modules that store mutes.
type mutedPlaces struct {
	of       user.ID
	channels channel.Set
	topics   map[readstate.Topic]bool
	queries  int
}

func (m *mutedPlaces) module() kit.Module {
	return kit.Define("mutedplaces", "Reports which places are muted.", kit.None{},
		func(kit.None, struct{ fx.In }) (kit.Parts, error) {
			return kit.Parts{Answers: []kit.Answer{kit.Answers(func(_ context.Context,
				q readstate.MutedPlaces) (readstate.Muting, error) {
				m.queries++
				if q.User != m.of {
					return readstate.Muting{}, nil
				}
				return readstate.Muting{Channels: m.channels, Topics: maps.Clone(m.topics)}, nil
			})}}, nil
		})
}

func TestMutedTopics(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		m := &mutedPlaces{}
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, messages.Module, m.module())
		general, secret := s.ChannelID("general"), s.ChannelID("secret")
		loud, wanted := post(s, "bob", "general", "loud", "x"), post(s, "bob", "general", "Wanted", "x")
		dull, fine := post(s, "olga", "secret", "Dull", "x"), post(s, "olga", "secret", "fine", "x")
		direct := sendDirect(s, "bob", "x", "alice")
		m.of, m.channels = s.UserID("alice"), channel.Set{general}
		m.topics = map[readstate.Topic]bool{{Channel: general, Key: "wanted"}: false, {Channel: secret, Key: "dull"}: true,
			{Channel: general, Key: "loud"}: true}
		for _, c := range []struct {
			narrow  string
			want    string
			first   int64 // first unread
			queries int
		}{
			{`[]`, fmt.Sprint(loud, wanted, dull, fine, direct), wanted, 0},
			{`[["in","home"]]`, fmt.Sprint(wanted, fine, direct), wanted, 1},
			// Messages in muted places do not count as the first unread message: the anchor is the newest message then.
			{`[["is","muted"]]`, fmt.Sprint(loud, dull), dull, 1},
			{`[{"operator":"is","operand":"muted","negated":true}]`, fmt.Sprint(wanted, fine, direct), wanted, 1},
			{`[{"operator":"in","operand":"home","negated":true},["channel","secret"]]`, fmt.Sprint(dull), dull, 1},
			{`[["channel","general"],["in","home"]]`, fmt.Sprint(wanted), wanted, 1},
			{`[["channel","general"]]`, fmt.Sprint(loud, wanted), wanted, 0}, // the topic is muted itself
			{`[["channel","secret"]]`, fmt.Sprint(dull, fine), fine, 0},
			{`[["is","dm"]]`, fmt.Sprint(direct), direct, 0},
		} {
			m.queries = 0
			if p := list(s, "alice", "anchor", "newest", "num_before", "50", "narrow", c.narrow); p.ids() != c.want ||
				m.queries != c.queries {
				t.Errorf("%s: %q, want %q; %d queries, want %d", c.narrow, p.ids(), c.want, m.queries, c.queries)
			}
			m.queries = 0
			p := list(s, "alice", "anchor", "first_unread", "num_before", "0", "num_after", "0", "narrow", c.narrow)
			if p.Anchor != c.first || m.queries != 1 {
				t.Errorf("%s: first unread %d, want %d; %d queries", c.narrow, p.Anchor, c.first, m.queries)
			}
		}
		m.topics = map[readstate.Topic]bool{{Channel: general, Key: "wanted"}: false}
		if p := list(s, "alice", "anchor", "first_unread", "num_before", "0", "num_after", "0", "narrow",
			`[["channel","general"]]`); p.Anchor != loud {
			t.Errorf("the channel of the narrow was not skipped: %d, want %d", p.Anchor, loud)
		}
	})
}
