package mattermost

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
)

// model is what a team has written, from which the tests make an export.
type model struct {
	people   []string // usernames
	channels []string
	posts    []said
	views    map[string]map[string]int64 // last_viewed_at by channel and username
}

// said is a post or a reply.
type said struct {
	channel  string   // "": a direct post
	members  []string // of a direct post
	by, text string
	at       int64
	edited   int64
	flagged  []string
	reacted  map[string]string // emoji by username
	file     string
	replies  []said
}

type object = map[string]any

// generate makes a model. Times are equal now and then, also of one author.
func generate(seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, seed))
	m := &model{views: map[string]map[string]int64{}}
	for i := range 50 {
		m.people = append(m.people, fmt.Sprintf("user.%d", i))
	}
	for i := range 30 {
		m.channels = append(m.channels, fmt.Sprintf("channel-%d", i))
	}
	at := int64(1_600_000_000_000)
	one := func() said {
		at += r.Int64N(3) * 700
		by := m.people[r.IntN(len(m.people))]
		p := said{by: by, at: at}
		p.text = fmt.Sprintf("Nº %d, hi @%s: **see** `@all` ~channel-3. 🌱", at, m.people[r.IntN(50)])
		if r.IntN(9) == 0 {
			p.edited = at + 5
		}
		if r.IntN(9) == 0 {
			p.flagged = []string{m.people[r.IntN(50)]}
		}
		if r.IntN(5) == 0 {
			p.reacted = map[string]string{m.people[r.IntN(50)]: "smile", m.people[r.IntN(50)]: "parrot"}
		}
		if r.IntN(20) == 0 {
			p.file = fmt.Sprintf("files/%d/plän %d.txt", at, r.IntN(1000))
		}
		return p
	}
	for range 2000 {
		p := one()
		if r.IntN(5) == 0 {
			p.members = []string{p.by, m.people[r.IntN(50)], m.people[r.IntN(50)]}[:1+r.IntN(3)]
		} else {
			p.channel = m.channels[r.IntN(30)]
		}
		for range max(0, r.IntN(8)-5) {
			reply := one()
			reply.channel, reply.members = p.channel, p.members
			p.replies = append(p.replies, reply)
		}
		m.posts = append(m.posts, p)
	}
	for _, c := range m.channels {
		m.views[c] = map[string]int64{}
		for range 5 {
			m.views[c][m.people[r.IntN(50)]] = 1_600_000_000_000 + r.Int64N(at-1_600_000_000_000)
		}
	}
	return m
}

// export returns the lines of an export.
func (m *model) export() []string {
	lines := []string{`{"type":"version","version":1,"info":{"generator":"mattermost-server","version":"9.5.0"}}`}
	add := func(kind string, value any) {
		text, err := json.Marshal(object{"type": kind, kind: value})
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(text))
	}
	add("emoji", object{"name": "parrot", "image": "emoji/parrot.png"})
	add("team", object{"name": "acme", "display_name": "Acme", "allow_open_invite": true})
	for _, c := range m.channels {
		add("channel", object{"team": "acme", "name": c, "display_name": strings.ToUpper(c), "type": "O"})
	}
	for i, p := range m.people {
		var in []object
		for _, c := range m.channels {
			in = append(in, object{"name": c, "last_viewed_at": m.views[c][p]})
		}
		roles := "system_user"
		if i == 0 {
			roles += " system_admin"
		}
		add("user", object{
			"username": p, "email": p + "@example.com", "roles": roles, "teams": []object{{"name": "acme", "channels": in}},
		})
	}
	for _, p := range m.posts {
		if p.channel == "" {
			add("direct_post", p.object())
		} else {
			add("post", p.object())
		}
	}
	return lines
}

func (p said) object() object {
	var reactions, replies, files []object
	for _, by := range slices.Sorted(maps.Keys(p.reacted)) {
		reactions = append(reactions, object{"user": by, "emoji_name": p.reacted[by]})
	}
	for _, r := range p.replies {
		replies = append(replies, r.object())
	}
	if p.file != "" {
		files = []object{{"path": p.file}}
	}
	return object{
		"team": "acme", "channel": p.channel, "channel_members": p.members, "user": p.by, "message": p.text, "props": nil,
		"create_at": p.at, "edit_at": p.edited, "flagged_by": p.flagged, "reactions": reactions, "replies": replies,
		"attachments": files,
	}
}

// zipped writes an archive and opens it.
func zipped(t *testing.T, files map[string]string) importing.Archive {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "export.zip")
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

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// opened opens an export.
func opened(t *testing.T, o importing.Options, files map[string]string) (importing.Source, *importing.Report) {
	t.Helper()
	report := importing.NewReport()
	s, err := Format.Open(t.Context(), importing.Input{
		Archive: zipped(t, files), Options: o, Report: report, Now: now, EmojiCode: codes,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, report
}

func codes(name string) (string, bool) {
	code, ok := map[string]string{"smile": "1f604", "wave": "1f44b", "tada": "1f389"}[name]
	return code, ok
}

// collected keeps what a source passes on.
type collected struct{ all []*importing.Message }

func (c *collected) Message(m *importing.Message) error { c.all = append(c.all, m); return nil }

func (c *collected) State(*importing.State) error { return nil }

// readable returns a text with references as they would be read.
func readable(text string) string {
	return importing.Expand(text, func(r importing.Ref) string {
		return "<" + string(r.Kind) + " " + string(r.Key) + ifAny(" ", r.Detail) + ">"
	})
}

func ifAny(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
