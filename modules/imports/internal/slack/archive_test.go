package slack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// memory is an archive in memory.
type memory map[string]string

func (m memory) Names() []string { return slices.Sorted(maps.Keys(m)) }

func (m memory) Size(name string) (int64, bool) { s, ok := m[name]; return int64(len(s)), ok }

func (m memory) Open(name string) (io.ReadCloser, error) {
	s, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(s)), nil
}

// obj is an object of JSON.
type obj = map[string]any

func (m memory) put(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	m[name] = string(text)
}

var today = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// expected is what a model's message has to become.
type expected struct {
	topic, sender, content string
	people                 []importing.Key
}

// model is a generated organization with what an import of it must pass on.
type model struct {
	files memory
	days  map[string][]obj
	want  map[importing.Key]expected
	skips int64 // messages to be skipped
}

// generate makes a model: threads over several days, replies in files before their first messages, threads without
// one, equal times in several channels, and everything else that exports contain.
func generate(seed uint64) *model {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := &model{files: memory{}, days: map[string][]obj{}, want: map[importing.Key]expected{}}
	var people []any
	for i := range 20 {
		id := fmt.Sprintf("U1%02d", i)
		people = append(people, obj{
			"id": id, "team_id": "T1", "name": strings.ToLower(id), "is_owner": i == 0, "is_admin": i == 1, "deleted": i == 2,
			"is_restricted": i == 3, "tz": "Europe/Berlin",
			"profile": obj{"real_name": "Pérson " + id, "email": id + "@example.com", "title": "Engineer"},
		})
	}
	people = append(people, obj{"id": "U90", "is_bot": true, "profile": obj{"bot_id": "B90", "real_name": "Robot"}})
	g.files.put("users.json", people)
	var public []any
	for c := range 6 {
		id, name := fmt.Sprintf("C%d", c), fmt.Sprintf("kanal-ä%d", c)
		public = append(public, obj{"id": id, "name": name, "created": 1, "is_general": c == 0,
			"members": []string{"U100", "U101", "U102"}, "purpose": obj{"value": "p"}, "topic": obj{"value": "t"}})
		g.channel(rng, id, name)
	}
	g.files.put("channels.json", public)
	g.files.put("dms.json", []any{
		obj{"id": "D1", "members": []string{"U100", "U101"}}, obj{"id": "D2", "members": []string{"U102", "U102"}},
	})
	ts := "1716379200.000100"
	g.add("D1", ts, obj{"user": "U100", "text": "psst"},
		expected{sender: "U100", content: "psst", people: []importing.Key{"U100", "U101"}})
	g.add("D2", ts, obj{"user": "U102", "text": "note"},
		expected{sender: "U102", content: "note", people: []importing.Key{"U102"}})
	for name, day := range g.days {
		rng.Shuffle(len(day), func(i, j int) { day[i], day[j] = day[j], day[i] })
		g.files.put(name, day)
	}
	return g
}

// add adds a message of a conversation, whose ID is that before the slash of its folder.
func (g *model) add(folder, ts string, m obj, e expected) {
	id, name, ok := strings.Cut(folder, "/")
	if !ok {
		name = id
	}
	m["type"], m["ts"] = "message", ts
	at, err := importing.Seconds(ts)
	if err != nil {
		panic(err)
	}
	file := name + "/" + at.Add(-5*time.Hour).Format(time.DateOnly) + ".json"
	g.days[file] = append(g.days[file], m)
	g.want[messageKey(id, ts)] = e
}

func (g *model) channel(rng *rand.Rand, id, name string) {
	const main = "imported from Slack"
	folder := id + "/" + name
	at := int64(1716379200)
	next := func() string {
		at += 1 + rng.Int64N(20_000)
		return fmt.Sprintf("%d.%06d", at, rng.IntN(1_000_000))
	}
	for i := range 40 {
		user := fmt.Sprintf("U1%02d", rng.IntN(20))
		text := fmt.Sprintf("message %d of %s", i, id)
		ts := next()
		if i%4 != 0 {
			g.add(folder, ts, obj{"user": user, "text": text}, expected{topic: main, sender: user, content: text})
			continue
		}
		topic, n, missing := text, 1+rng.IntN(5), i%12 == 8
		if missing {
			topic = "reply 0 to " + ts
		} else {
			root := obj{"user": user, "text": text}
			if i%8 == 0 {
				root["thread_ts"], root["reply_count"] = ts, n
			}
			g.add(folder, ts, root, expected{topic: topic, sender: user, content: text})
			replies := fmt.Sprintf("%d replies", n)
			if n == 1 {
				replies = "1 reply"
			}
			g.want[messageKey(id, ts)+"/thread"] = expected{topic: main, sender: notifier,
				content: fmt.Sprintf("{silent %s} started {topic %s %s} (%s).", user, id, topic, replies)}
		}
		for r := range n {
			by, text := fmt.Sprintf("U1%02d", rng.IntN(20)), fmt.Sprintf("reply %d to %s", r, ts)
			e := expected{topic: topic, sender: by, content: text}
			if missing && r == 0 {
				e.content = orphaned + "\n\n" + text
			}
			g.add(folder, next(), obj{"user": by, "text": text, "thread_ts": ts}, e)
		}
	}
	g.add(folder, next(), obj{"bot_id": "B90", "subtype": "bot_message", "text": "beep"},
		expected{topic: main, sender: "U90", content: "beep"})
	g.add(folder, next(), obj{"bot_id": "B91", "username": "hook", "subtype": "bot_message", "text": "",
		"attachments": []any{
			obj{"fallback": "fb"}}}, expected{topic: main, sender: "B91", content: "fb"})
	g.add(folder, next(), obj{"user": "U77", "text": "left", "user_profile": obj{"real_name": "Gone"}},
		expected{topic: main, sender: "U77", content: "left"})
	g.add(folder, next(), obj{"user": "U105", "subtype": "me_message", "text": "waves"},
		expected{topic: main, sender: "U105", content: "/me waves"})
	g.add(folder, next(), obj{"user": "U105", "text": "file", "files": []any{obj{"id": "F" + id, "name": "ü.txt"}}},
		expected{topic: main, sender: "U105", content: "file\n\n[ü.txt]({file F" + id + "})"})
	g.files["__uploads/F"+id+"/ü.txt"] = "content of " + id
	joined := next()
	g.add(folder, joined, obj{"user": "U105", "subtype": "channel_join", "text": "joined"}, expected{})
	delete(g.want, messageKey(id, joined))
	g.skips++
}

// received collects what a source passes on.
type received struct{ all []*importing.Message }

func (r *received) Message(m *importing.Message) error { r.all = append(r.all, m); return nil }

func (*received) State(*importing.State) error { return nil }

func opened(t *testing.T, m memory, o importing.Options, fetch importing.Fetcher) (*source, *importing.Report) {
	t.Helper()
	report := importing.NewReport()
	s, err := open(t.Context(), importing.Input{
		Archive: m, Options: o, Report: report, Now: today, EmojiCode: knownEmoji, Fetch: fetch,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*source), report
}

func messagesOf(t *testing.T, s *source) map[importing.Key]*importing.Message {
	t.Helper()
	var to received
	if err := s.Messages(t.Context(), &to); err != nil {
		t.Fatal(err)
	}
	out := map[importing.Key]*importing.Message{}
	for _, m := range to.all {
		if out[m.Key] != nil {
			t.Errorf("%s was passed on twice", m.Key)
		}
		out[m.Key] = m
	}
	return out
}

func TestModel(t *testing.T) {
	for seed := range uint64(5) {
		g := generate(seed)
		s, report := opened(t, g.files, importing.Options{}, nil)
		d, err := s.Scan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Channels) != 6 || len(d.People) != 20+1+1+1 || len(d.Subscriptions) != 18 || d.Realm.Announce != "C0" {
			t.Errorf("got %d channels, %d people, %d subscriptions", len(d.Channels), len(d.People), len(d.Subscriptions))
		}
		if c := d.Channels[0]; c.Name != "kanal-ä0" || !c.Default || c.Description != "p\nt" || c.Created.Year() != 2024 {
			t.Errorf("got %+v", c)
		}
		got := messagesOf(t, s)
		for k, e := range g.want {
			m := got[k]
			if m == nil {
				t.Fatalf("%s is missing", k)
			}
			if m.Topic != e.topic || string(m.Sender) != e.sender || shown(m.Content) != e.content ||
				!slices.Equal(m.People, e.people) {
				t.Errorf("%s: got %q by %s to %v: %q\nwant %+v", k, m.Topic, m.Sender, m.People, shown(m.Content), e)
			}
		}
		if len(got) != len(g.want) || report.Of(importing.Messages).Skipped != g.skips {
			t.Errorf("got %d messages, want %d; %+v", len(got), len(g.want), report.Of(importing.Messages))
		}
		files := 0
		if err := s.Files(t.Context(), func(f *importing.File) error {
			files++
			r, err := s.Open(t.Context(), f)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			_, err = b.ReadFrom(r)
			if want := "content of " + string(f.Key[1:]); b.String() != want || f.Owner != "U105" || f.Name != "ü.txt" {
				t.Errorf("got %+v with %q", f, b.String())
			}
			return err
		}); err != nil || files != 6 {
			t.Errorf("%d files, %v", files, err)
		}
	}
}
