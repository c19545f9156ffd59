package messages_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

// importer holds what the tests of imported messages use besides the API.
type importer struct {
	fx.In
	Messages ports.MessageImport

	Discussed kit.Query[message.MostDiscussed, []message.Discussion]
	Writers   kit.Query[message.Writers, user.Set]
	Counts    kit.Query[message.ChannelCounts, message.Counted]
}

// past is a server into whose organization messages of the past are imported after others were sent.
type past struct {
	*stored
	importer
	all map[string]int64
}

// startPast sends two messages, and then imports others from ten days before until the day before.
func startPast(t *testing.T) *past {
	t.Helper()
	p := &past{all: map[string]int64{}}
	take := kit.Define("importer", "Imports messages.", kit.None{}, func(_ kit.None, n importer) (kit.Parts, error) {
		p.importer = n
		return kit.Parts{}, nil
	})
	p.stored = startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, take)
	p.As("olga").Do("POST /channels/create", "name", "empty", "subscribers", ids(p.Server, "alice", "bob")).OK()
	p.all["sent"] = post(p.Server, "alice", "general", "now", "x")
	p.all["sent direct"] = sendDirect(p.Server, "alice", "x", "bob")
	p.imports("", 10, 8, 6, 1)
	return p
}

// imports imports a message to the channel general and a direct one for each of some days ago.
func (p *past) imports(prefix string, ago ...int) {
	p.T.Helper()
	var all []*importing.Written
	alice, bob := p.UserID("alice"), p.UserID("bob")
	for _, n := range ago {
		at := p.Clock.Now().Add(-time.Duration(n) * day)
		all = append(all,
			&importing.Written{Channel: p.ChannelID("general"), Topic: "then", Sender: bob, Sent: at, Content: "x"},
			&importing.Written{Members: idset.Of(alice, bob), Sender: bob, Sent: at, Content: "x"})
	}
	err := p.Messages.Write(p.T.Context(), p.Realm, all, func(context.Context) error { return nil })
	if err != nil {
		p.T.Fatal(err)
	}
	for i, n := range ago {
		p.all[fmt.Sprintf("%s%d", prefix, n)] = int64(all[2*i].ID)
		p.all[fmt.Sprintf("%s%d direct", prefix, n)] = int64(all[2*i+1].ID)
	}
}

// name returns the name of a message.
func (p *past) name(id int64) string {
	for name, one := range p.all {
		if one == id {
			return name
		}
	}
	return fmt.Sprint(id)
}

// A date leads to the first message of a narrow that was sent then or later, although others have lower IDs.
func TestDateAmongImported(t *testing.T) {
	p := startPast(t)
	for _, c := range []struct {
		ago    int
		narrow string
		want   string
	}{
		{11, `[]`, "10"}, {9, `[]`, "8"}, {8, `[["topic","then"]]`, "8"}, {7, `[["is","dm"]]`, "6 direct"}, {0, `[]`, "sent"},
		{9, `[["topic","now"]]`, "sent"}, {1, `[["channel","general"]]`, "1"},
	} {
		at := p.Clock.Now().Add(-time.Duration(c.ago)*day - time.Second).Format("2006-01-02T15:04:05Z")
		got := list(p.Server, "bob", "anchor", "date", "anchor_date", at, "narrow", c.narrow, "num_before", "0",
			"num_after", "0")
		if p.name(got.Anchor) != c.want {
			t.Errorf("%d days ago in %s: %s, want %s", c.ago, c.narrow, p.name(got.Anchor), c.want)
		}
	}
}

// Retention deletes imported messages by when they were sent, and none that are more recent.
func TestRetentionOfImported(t *testing.T) {
	p := startPast(t)
	after := func(days string, want ...string) {
		t.Helper()
		p.As("olga").Do("PATCH /realm", "message_retention_days", days).OK()
		retain(p.stored)
		slices.Sort(want)
		if got := remaining(p.stored, p.all); got != strings.Join(want, " ") {
			t.Errorf("after %s days: %s, want %s", days, got, strings.Join(want, " "))
		}
	}
	after("9", "sent", "sent direct", "8", "8 direct", "6", "6 direct", "1", "1 direct")
	after("7", "sent", "sent direct", "6", "6 direct", "1", "1 direct")
	p.imports("late ", 8, 5)
	after("7", "sent", "sent direct", "6", "6 direct", "1", "1 direct", "late 5", "late 5 direct")
	p.Clock.Advance(5*day + time.Minute)
	after("6", "sent", "sent direct")
	p.Clock.Advance(2 * day)
	after("6")
}

// Digests and counts consider what was sent since a time, whatever the IDs.
func TestCountsOfImported(t *testing.T) {
	p := startPast(t)
	since := p.Clock.Now().Add(-7 * day)
	discussed, _, err := p.Discussed.Ask(t.Context(), message.MostDiscussed{Realm: p.Realm, Since: since, Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, d := range discussed {
		got[d.TopicKey] = d.Messages
	}
	if fmt.Sprint(got) != "map[now:1 then:2]" {
		t.Errorf("discussed: %v", got)
	}
	for ago, want := range map[time.Duration]user.Set{
		7 * day: idset.Of(p.UserID("alice"), p.UserID("bob")), 0: idset.Of(p.UserID("alice")),
	} {
		writers, _, err := p.Writers.Ask(t.Context(), message.Writers{Realm: p.Realm, Since: p.Clock.Now().Add(-ago)})
		if err != nil || !slices.Equal(writers, want) {
			t.Errorf("writers since %v: %v %v", ago, writers, err)
		}
	}
	p.Clock.Advance(time.Hour)
	counted, _, err := p.Counts.Ask(t.Context(), message.ChannelCounts{Since: since, Before: p.Clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range counted.Sent[p.Realm] {
		n += c.Messages
	}
	if n != 3 {
		t.Errorf("%d messages to channels were counted", n)
	}
}

// What another organization imports changes nothing here.
func TestImportsOfOthers(t *testing.T) {
	p := startPast(t)
	p.all = map[string]int64{}
	for i := range 20 {
		p.all[fmt.Sprint("sent ", i)] = post(p.Server, "alice", "general", "later", "x")
		if i == 9 {
			p.Do(func(ctx context.Context) error {
				_, err := p.db.From(ctx).NewRaw(`
					INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content, rendered,
						render_version, facts, notice)
					SELECT realm_id + 1, recipient_id, topic, topic_key, sender_id, client, ?, content, rendered,
						render_version, facts, notice
					FROM messages WHERE topic_key = 'later'`, p.Clock.Now().Add(-900*day)).Exec(ctx)
				return err
			})
		}
		p.Clock.Advance(time.Hour)
	}
	at := p.Clock.Now().Add(-15*time.Hour - time.Second).Format("2006-01-02T15:04:05Z")
	got := list(p.Server, "bob", "anchor", "date", "anchor_date", at, "num_before", "0", "num_after", "0")
	if p.name(got.Anchor) != "sent 5" {
		t.Errorf("found %s", p.name(got.Anchor))
	}
}
