package messages_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// sentMessage is a message and everything that was done to it.
type sentMessage struct {
	id                              int64
	channel                         *channelFixture // nil for direct messages
	members                         []string
	topic, sender, text             string
	received, touched               map[string]bool // by user
	read, starred, alerted, mention map[string]bool // mention is a mention by name
	wildcard                        bool
	link, image, upload             bool
	reacted                         bool
}

// channelFixture is a channel and each user's relation to it.
type channelFixture struct {
	id       int64
	name     string
	kind     string            // public, web, private, protected or archived
	relation map[string]string // subscribed, formerly, late or never
	muted    map[string]bool
}

// randomRealm is a realm with random channels, messages and reading states.
type randomRealm struct {
	*kittest.Server
	db     *bunstore.DB
	r      *rand.Rand
	rooms  []*channelFixture
	all    []*sentMessage
	topics map[string]map[string]bool // keys are "<user> <channel> <topic>"; true: muted, false: unmuted
}

var (
	roomKinds = []string{"public", "web", "private", "protected", "archived"}
	readers   = []string{"alice", "bob", "adam", "mona", "guest", "bot"}
	relations = []string{"subscribed", "formerly", "late", "never"}
	subjects  = []string{"", "lunch", "Lunch", "✔ lunch", "tea"}
)

func newRandomRealm(t *testing.T, url string, seed uint64) *randomRealm {
	t.Helper()
	w := &randomRealm{r: rand.New(rand.NewPCG(seed, seed)), topics: map[string]map[string]bool{}}
	lend := kit.Define("lend", "Lends the database to a test, and mutes topics.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		DB *bunstore.DB
	}) (kit.Parts, error) {
		w.db = n.DB
		return kit.Parts{Answers: []kit.Answer{kit.Answers(w.mutedTopics)}}, nil
	})
	w.Server = kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: "http: {rate_limits: {enabled: false}}\n" +
		"modules: {accounts: {password_memory_kib: 8, password_passes: 1}, channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, lend)
	w.As("olga").Do("PATCH /realm", "enable_spectator_access", "true").OK()
	w.createChannels()
	w.write(60)
	w.RunJob("messages.search")
	w.change()
	w.write(60)
	w.act()
	for _, c := range w.rooms {
		if c.kind == "archived" {
			w.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", c.id)).OK()
		}
	}
	return w
}

func (w *randomRealm) mutedTopics(_ context.Context, q readstate.MutedPlaces) (readstate.Muting, error) {
	out := readstate.Muting{Topics: map[readstate.Topic]bool{}}
	for who, topics := range w.topics {
		if w.UserID(who) != q.User {
			continue
		}
		for at, muted := range topics {
			var c channel.ID
			name, key, _ := strings.Cut(at, "/")
			if _, err := fmt.Sscan(name, &c); err != nil {
				return out, err
			}
			out.Topics[readstate.Topic{Channel: c, Key: key}] = muted
		}
	}
	return out, nil
}

// createChannels creates a channel of each kind. Relations are dealt such that each occurs in each kind.
func (w *randomRealm) createChannels() {
	for k, kind := range roomKinds {
		c := &channelFixture{name: "room " + kind, kind: kind, relation: map[string]string{}, muted: map[string]bool{}}
		first := []string{"olga"}
		for i, who := range readers {
			c.relation[who] = relations[(i+k)%len(relations)]
			if c.relation[who] == "subscribed" || c.relation[who] == "formerly" {
				first = append(first, who)
			}
		}
		params := map[string][]string{
			"private":   {"invite_only", "true", "history_public_to_subscribers", "true"},
			"protected": {"invite_only", "true", "history_public_to_subscribers", "false"},
		}[kind]
		c.id = makeChannel(w.Server, c.name, first, params...)
		if kind == "web" {
			w.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", c.id), "is_web_public", "true").OK()
		}
		w.rooms = append(w.rooms, c)
	}
}

// change unsubscribes the users who leave and subscribes the late ones.
func (w *randomRealm) change() {
	for _, c := range w.rooms {
		for _, who := range readers {
			switch c.relation[who] {
			case "formerly":
				w.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", c.name), "principals",
					ids(w.Server, who)).OK()
			case "late":
				subscribe(w.Server, "olga", who, c.name)
			}
		}
	}
}

// in reports whether a user is subscribed, before or after change.
func (c *channelFixture) in(who string, changed bool) bool {
	switch c.relation[who] {
	case "subscribed":
		return true
	case "formerly":
		return !changed
	case "late":
		return changed
	}
	return who == "olga"
}

func (w *randomRealm) write(n int) {
	changed := len(w.all) > 0
	for range n {
		m := &sentMessage{sender: "olga", received: map[string]bool{}, touched: map[string]bool{}, read: map[string]bool{},
			starred: map[string]bool{},
			alerted: map[string]bool{}, mention: map[string]bool{}}
		w.compose(m)
		if w.r.IntN(3) == 0 {
			m.sender = readers[w.r.IntN(len(readers))]
			m.members = []string{m.sender}
			for _, who := range readers {
				if who != m.sender && w.r.IntN(3) == 0 {
					m.members = append(m.members, who)
				}
			}
			for _, who := range m.members {
				m.received[who] = true
			}
			m.id = sendDirect(w.Server, m.sender, m.text, m.members...)
		} else {
			m.channel, m.topic = w.rooms[w.r.IntN(len(w.rooms))], subjects[w.r.IntN(len(subjects))]
			for _, who := range readers {
				if m.channel.in(who, changed) {
					m.received[who] = true
					if w.r.IntN(3) == 0 {
						m.sender = who
					}
				}
			}
			m.id = post(w.Server, m.sender, m.channel.name, m.topic, m.text)
		}
		w.all = append(w.all, m)
	}
}

func (w *randomRealm) compose(m *sentMessage) {
	text := []string{"some", []string{"apple", "banana", "cherry"}[w.r.IntN(3)]}
	if m.link = w.r.IntN(4) == 0; m.link {
		text = append(text, "https://example.com/menu")
	}
	switch who := []string{"Bob", "Alice"}[w.r.IntN(2)]; w.r.IntN(6) {
	case 0:
		text, m.mention[strings.ToLower(who)] = append(text, "@**"+who+"**"), true
	case 1:
		text = append(text, "@_**"+who+"**")
	case 2:
		text, m.wildcard = append(text, "@**all**"), true
	}
	m.text = strings.Join(text, " ")
}

// act makes users read, star, react and mute, and stores properties that this test cannot produce otherwise.
func (w *randomRealm) act() {
	for _, m := range w.all {
		var facts message.Facts
		if m.image = w.r.IntN(5) == 0; m.image {
			facts |= message.HasImage
		}
		if m.upload = w.r.IntN(5) == 0; m.upload {
			facts |= message.HasAttachment
		}
		w.run("UPDATE messages SET facts = facts | ? WHERE id = ?", int64(facts), m.id)
		for _, who := range readers {
			if m.received[who] && w.r.IntN(8) == 0 {
				m.alerted[who] = true
				w.alert(w.UserID(who), m.id)
			}
		}
		for _, who := range readers {
			if !sees(who, m) {
				continue
			}
			if w.r.IntN(3) == 0 {
				mark(w.Server, who, "add", "read", m.id).OK()
				m.read[who] = true
			}
			if w.r.IntN(6) == 0 {
				mark(w.Server, who, "add", "starred", m.id).OK()
				m.starred[who], m.touched[who] = true, true
			}
			if w.r.IntN(10) == 0 {
				react(w.Server, who, m.id, "emoji_name", "heart").OK()
				m.reacted, m.touched[who] = true, true
			}
		}
	}
	for _, c := range w.rooms {
		for _, who := range readers {
			if c.in(who, true) && w.r.IntN(2) == 0 {
				w.As(who).Do("POST /users/me/subscriptions/properties", "subscription_data",
					fmt.Sprintf(`[{"stream_id":%d,"property":"is_muted","value":true}]`, c.id)).OK()
				c.muted[who] = true
			}
			if w.topics[who] == nil {
				w.topics[who] = map[string]bool{}
			}
			if topic := strings.ToLower(subjects[w.r.IntN(len(subjects))]); w.r.IntN(2) == 0 {
				w.topics[who][fmt.Sprint(c.id, "/", topic)] = w.r.IntN(2) == 0
			}
		}
	}
}

func (w *randomRealm) run(statement string, args ...any) {
	w.T.Helper()
	w.Do(func(ctx context.Context) error {
		_, err := w.db.From(ctx).NewRaw(statement, args...).Exec(ctx)
		return err
	})
}

func (w *randomRealm) alert(u user.ID, id int64) {
	w.T.Helper()
	w.run(`INSERT INTO message_flags (user_id, message_id, flags) VALUES (?0, ?1, ?2)
		ON CONFLICT (user_id, message_id) DO UPDATE SET flags = message_flags.flags | ?2`, u, id, int64(message.AlertWord))
}

// sees reports whether a user can see a message in the end.
func sees(who string, m *sentMessage) bool {
	if m.channel == nil {
		return slices.Contains(m.members, who)
	}
	subscribed := m.channel.in(who, true)
	switch m.channel.kind {
	case "web":
		return true
	case "public", "archived":
		return who != "guest" || subscribed
	case "protected":
		return subscribed && m.received[who]
	}
	return subscribed
}
