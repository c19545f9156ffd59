package zulip

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
)

type object = map[string]any

// said is a message of a model. Users have the IDs 1 to 50, channels 1 to 30.
type said struct {
	id, by   int64
	channel  int64   // 0: direct
	members  []int64 // of a direct message
	topic    string
	text     string
	at       string // seconds
	reacted  []int64
	unread   []int64
	starred  []int64
	previous string // the text before an edit
}

// generate makes a model.
func generate(seed uint64) []said {
	r := rand.New(rand.NewPCG(seed, seed))
	at := int64(1_600_000_000)
	var all []said
	for id := range int64(2500) {
		at += r.Int64N(3)
		m := said{id: id + 1, by: 1 + r.Int64N(50), at: fmt.Sprintf("%d.%06d", at, r.IntN(1_000_000))}
		m.text = fmt.Sprintf("№ %d for @**User %d|%d** ✓", m.id, 7, 7)
		if r.IntN(4) == 0 {
			m.members = []int64{m.by, 1 + r.Int64N(50)}
			if r.IntN(2) == 0 {
				m.members = []int64{m.by, m.by%50 + 1, (m.by+1)%50 + 1}
			}
		} else {
			m.channel, m.topic = 1+r.Int64N(30), fmt.Sprintf("topic %d", r.IntN(5))
		}
		if r.IntN(5) == 0 {
			m.reacted = []int64{1 + r.Int64N(25), 26 + r.Int64N(25)}
		}
		if r.IntN(9) == 0 {
			m.unread, m.starred = []int64{1 + r.Int64N(50)}, []int64{1 + r.Int64N(50)}
		}
		if r.IntN(9) == 0 {
			m.previous = "before"
		}
		all = append(all, m)
	}
	return all
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// export returns the files of an export. A user's personal recipient has the ID 1000 + user, a channel's 2000 +
// channel; those of groups begin at 3000.
func export(all []said) map[string]string {
	var users, streams, recipients, subscriptions, reactions []object
	for id := int64(1); id <= 50; id++ {
		users = append(users, object{
			"id": id, "delivery_email": fmt.Sprintf("user%d@example.com", id),
			"full_name": fmt.Sprintf("User %d", id),
			"role":      400 - 300*(1/id), "is_active": true, "date_joined": 1_500_000_000.5, "bot_type": nil, "bot_owner": nil,
		})
		recipients = append(recipients, object{"id": 1000 + id, "type": 1, "type_id": id})
		subscriptions = append(subscriptions, object{"user_profile": id, "recipient": 1000 + id, "active": true})
	}
	for id := int64(1); id <= 30; id++ {
		streams = append(streams, object{"id": id, "name": fmt.Sprintf("channel %d", id), "date_created": 1_500_000_000})
		recipients = append(recipients, object{"id": 2000 + id, "type": 2, "type_id": id})
		for u := int64(1); u <= 50; u += id {
			subscriptions = append(subscriptions, object{"user_profile": u, "recipient": 2000 + id, "active": u%2 == 1})
		}
	}
	files := map[string]string{}
	huddles := map[string]int64{}
	for from := 0; from < len(all); from += 1000 {
		var messages, flags []object
		for _, m := range all[from:min(len(all), from+1000)] {
			recipient := 2000 + m.channel
			if len(m.members) == 2 {
				recipient = 1000 + m.members[1]
			}
			if len(m.members) == 3 {
				members := slices.Sorted(slices.Values(m.members))
				name := fmt.Sprint(members)
				if huddles[name] == 0 {
					huddles[name] = 3000 + int64(len(huddles))
					recipients = append(recipients, object{"id": huddles[name], "type": 3, "type_id": len(huddles)})
					for _, u := range members {
						subscriptions = append(subscriptions, object{"user_profile": u, "recipient": huddles[name]})
					}
				}
				recipient = huddles[name]
			}
			one := object{
				"id": m.id, "sender": m.by, "recipient": recipient, "subject": m.topic, "content": m.text,
				"date_sent": json.Number(m.at), "sending_client": 1, "last_edit_time": nil, "edit_history": nil,
				"rendered_content": "<p>never trusted</p>",
			}
			if m.previous != "" {
				one["last_edit_time"] = json.Number(m.at)
				one["edit_history"] = encode([]object{{
					"timestamp": json.Number(m.at), "user_id": m.by, "prev_content": m.previous, "prev_rendered_content": "x",
				}})
			}
			messages = append(messages, one)
			for _, u := range m.reacted {
				reactions = append(reactions, object{
					"user_profile": u, "message": m.id, "emoji_name": "smile", "emoji_code": "1f604",
					"reaction_type": "unicode_emoji",
				})
			}
			for u := int64(1); u <= 50; u += 10 {
				flags = append(flags, object{"user_profile": u, "message": m.id, "flags_mask": 1})
			}
			for _, u := range m.unread {
				flags = append(flags, object{"user_profile": u, "message": m.id, "flags_mask": 8})
			}
			for _, u := range m.starred {
				flags = append(flags, object{"user_profile": u, "message": m.id, "flags_mask": 3})
			}
		}
		files[fmt.Sprintf("messages-%06d.json", from/1000+1)] = encode(object{
			"zerver_message": messages, "zerver_usermessage": flags,
		})
	}
	files["realm.json"] = encode(object{
		"import_source": "zulip", "zerver_realm": []object{{"id": 2, "name": "Acme", "invite_required": true}},
		"zerver_userprofile": users, "zerver_stream": streams, "zerver_recipient": recipients,
		"zerver_subscription": subscriptions, "zerver_client": []object{{"id": 1, "name": "website"}},
		"zerver_reaction": reactions, "zerver_userprofile_crossrealm": []object{
			{"id": 90, "email": "notification-bot@zulip.com", "recipient_id": 5000},
		},
	})
	files["attachment.json"] = `{"zerver_attachment":[{"path_id":"2/ab/key/plan.txt","file_name":"plan.txt","owner":7,` +
		`"create_time":1600000000.5}]}`
	files["uploads/2/ab/key/plan.txt"] = "plan"
	return files
}

// tarred writes an archive and opens it.
func tarred(t *testing.T, files map[string]string) importing.Archive {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: "zulip-export-1/" + name, Size: int64(len(files[name])), Mode: 0o600, Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "export.tar.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(name, t.TempDir(), archive.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// opened opens an export.
func opened(t *testing.T, files map[string]string) (importing.Source, *importing.Report, error) {
	t.Helper()
	report := importing.NewReport()
	s, err := Format.Open(t.Context(), importing.Input{
		Archive: tarred(t, files), Report: report, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		EmojiCode: func(string) (string, bool) { return "", false },
	})
	return s, report, err
}

// collected keeps what a source passes on.
type collected struct {
	all    []*importing.Message
	states []*importing.State
}

func (c *collected) Message(m *importing.Message) error { c.all = append(c.all, m); return nil }

func (c *collected) State(s *importing.State) error { c.states = append(c.states, s); return nil }
