package render

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// A page contains the same as the messages encoded one by one, also if their rows are cached.
func TestPage(t *testing.T) {
	b := &directory.Builder{}
	shown := &realm.Realm{ID: 1, StringID: "r"}
	shown.Settings.MessageEditHistoryVisibility = realm.HistoryAll
	b.Realm(shown)
	for id := user.ID(1); id < 4; id++ {
		b.User(&user.User{ID: id, FullName: "A \"<b>", DeliveryEmail: "a@example.com", Role: user.Member, Active: true})
	}
	v := b.View(1)
	at := time.Unix(1e9, 0)
	old, now := "old", "new"
	all := []message.Message{
		{ID: 1, Recipient: 2, Sender: 1, SentAt: at, Content: "a", Rendered: "<p>a</p>", Topic: "t", Stamp: 1},
		{ID: 2, Recipient: 2, Sender: 2, SentAt: at, Content: "\"\u2028<", Rendered: "<p>é</p>", Topic: "", Stamp: 2},
		{ID: 3, Recipient: 3, Sender: 1, SentAt: at, EditedAt: at, MovedAt: at, Facts: message.IsMe},
		{ID: 4, Recipient: 2, Sender: 9, SentAt: at, Topic: "t", Stamp: 4, Reactions: []message.Reaction{
			{Message: 4, Name: "n", Code: "c", Type: message.ExtraEmoji, User: 2},
		}, Submessages: []message.Submessage{{ID: 1, Message: 4, Sender: 1, Type: "widget", Content: "{}"}},
			Edits: []message.Edit{{Message: 4, User: 1, At: at, PrevTopic: &old, Topic: &now}}},
	}
	flags := [][]string{{}, {"read"}, {"read", "starred"}, {"mentioned"}}
	match := "<b>"
	cache := NewRows(1 << 20)
	for round := range 2 {
		for _, o := range []Options{
			{HTML: true, EmptyTopic: true}, {ClientGravatar: true, ZulipNames: true}, {Reader: v.User(1)}, {Spectator: true},
		} {
			o.Links = func(_ *directory.View, topic string) []markdown.TopicLink {
				return []markdown.TopicLink{{Text: topic, URL: "https://example.com/?a=1&b=2"}}
			}
			page, want := NewPage(v, o, 0), []Object{}
			for i := range all {
				m := &all[i]
				row := cache.Get(m, o.HTML)
				if (row == nil) != (round == 0 && (o.HTML || o.ClientGravatar)) {
					t.Fatalf("message %d: the row is %v", m.ID, row)
				}
				if row == nil {
					var err error
					if row, err = Encode(m, o.HTML); err != nil {
						t.Fatal(err)
					}
					cache.Put(m, o.HTML, row)
				}
				e := Entry{Message: m, Row: row, Members: user.Set{1, 2}, Flags: flags[i]}
				one := Message(v, m, e.Members, o)
				one.Flags = &e.Flags
				if i == 1 {
					e.MatchContent, e.MatchSubject = &match, &match
					one.MatchContent, one.MatchSubject = &match, &match
				}
				if err := page.Add(e); err != nil {
					t.Fatal(err)
				}
				want = append(want, one)
			}
			got, err := kit.AppendJSON(nil, page)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if err := json.Unmarshal(got, &a); err != nil {
				t.Fatalf("%v: %s", err, got)
			}
			if err := json.Unmarshal(text, &b); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%+v: got %s\nwant %s", o, got, text)
			}
		}
	}
}

// Rows are found by ID, stamp and format only, and take limited memory.
func TestRows(t *testing.T) {
	m := message.Message{ID: 1, Stamp: 5, Content: "hello"}
	row, err := Encode(&m, false)
	if err != nil {
		t.Fatal(err)
	}
	size := len(row.json) + rowOverhead
	c := NewRows(8 * size)
	c.Put(&m, false, row)
	other, edited := m, m
	other.ID, edited.Stamp = 2, 6
	if c.Get(&m, false) != row || c.Get(&m, true) != nil || c.Get(&other, false) != nil || c.Get(&edited, false) != nil {
		t.Error("found by another key")
	}
	for id := range message.ID(1000) {
		c.Put(&message.Message{ID: id + 10}, false, row)
		if len(c.young)+len(c.old) > 8 {
			t.Fatalf("%d + %d rows", len(c.young), len(c.old))
		}
		if c.Get(&m, false) != row { // because it is in use
			t.Fatalf("evicted after %d rows", id)
		}
	}
	if none := NewRows(0); true {
		if none.Put(&m, false, row); none.Get(&m, false) != nil {
			t.Error("cached without memory")
		}
	}
}
