package zulip

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

func keys(ids []int64) []importing.Key {
	var out []importing.Key
	for _, id := range ids {
		out = append(out, key(id))
	}
	return importing.Keys(out, nil)
}

// expected returns what is read of a model.
func expected(t *testing.T, all []said) *collected {
	t.Helper()
	c := &collected{}
	for _, m := range all {
		at, err := importing.Seconds(m.at)
		if err != nil {
			t.Fatal(err)
		}
		mention := "@**User 7|7**"
		one := &importing.Message{
			Key: key(m.id), Channel: key(m.channel), Topic: m.topic, Sender: key(m.by), Sent: at, Sequence: m.id,
			Content: strings.Replace(m.text, mention, importing.Mention("7", mention), 1), Client: "website",
		}
		if m.channel == 0 {
			one.People = keys(m.members)
		}
		for _, u := range m.reacted {
			one.Reactions = append(one.Reactions, importing.Emote{By: key(u), Name: "smile", Code: "1f604"})
		}
		if m.previous != "" {
			one.Edited = at
			one.Edits = []importing.Edit{{By: key(m.by), At: at, PrevContent: &m.previous}}
		}
		c.all = append(c.all, one)
		for _, u := range m.unread {
			c.states = append(c.states, &importing.State{Person: key(u), Message: key(m.id), Unread: true})
		}
		for _, u := range m.starred {
			c.states = append(c.states, &importing.State{Person: key(u), Message: key(m.id), Starred: true})
		}
	}
	return c
}

func TestModel(t *testing.T) {
	model := generate(1)
	s, report, err := opened(t, export(model))
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.People) != 51 || len(d.Channels) != 30 || d.Realm.Name != "Acme" || d.People[0].Role != user.Owner ||
		d.People[1].Role != user.Member || d.People[50].System != user.NotificationBot {
		t.Errorf("got %+v", d)
	}
	got, want := &collected{}, expected(t, model)
	if err := s.Messages(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	for i := range min(len(got.all), len(want.all)) {
		if !reflect.DeepEqual(got.all[i], want.all[i]) {
			t.Fatalf("message %d:\n got %+v\nwant %+v", i, got.all[i], want.all[i])
		}
	}
	if len(got.all) != len(want.all) || !reflect.DeepEqual(got.states, want.states) {
		t.Errorf("%d messages and %d states, want %d and %d", len(got.all), len(got.states), len(want.all),
			len(want.states))
	}
	var files []importing.File
	err = s.Files(t.Context(), func(f *importing.File) error { files = append(files, *f); return nil })
	if err != nil || len(files) != 1 || files[0].Key != "2/ab/key/plan.txt" || files[0].Owner != "7" {
		t.Errorf("got %+v (%v)", files, err)
	}
	if r := report.Reasons(); len(r) > 0 {
		t.Errorf("left out: %+v", r)
	}
}

func TestUnusable(t *testing.T) {
	valid := export(generate(1)[:5])
	with := func(name, text string) map[string]string {
		all := map[string]string{}
		for n, v := range valid {
			all[n] = v
		}
		if all[name] = text; text == "" {
			delete(all, name)
		}
		return all
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{with("messages-000002.json.partial", "{}"), "not complete"},
		{with("messages-000001.json.locked", "{}"), "not complete"},
		{with("messages-000003.json", "{}"), "messages-000002.json is missing"},
		{with("realm.json", ""), "no realm.json"},
		{with("realm.json", valid["realm.json"][:2000]), "damaged or incomplete"},
		{with("realm.json", "[]"), "damaged or incomplete"},
		{with("realm.json", "{}"), "contains no organization"},
		{map[string]string{"users.json": "[]", "channels.json": "[]"}, "stoa import slack"},
		{map[string]string{"manifest.json": "{}", "x": ""}, "stoa import stoa"},
	} {
		_, _, err := opened(t, c.files)
		if !importing.IsUnusable(err) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

//go:embed testdata/realm.json
var small string

//go:embed testdata/messages.json
var unusual string // rows

// read reads a small export with the given rows of messages.
func read(t *testing.T, messages string) (*importing.Directory, *collected, *importing.Report) {
	t.Helper()
	s, report, err := opened(t, map[string]string{
		"realm.json": small, "messages-000001.json": `{"zerver_message":[` + messages + `]}`,
		"avatars/records.json": `[{"path":"2/a.png","s3_path":"2/a","user_profile_id":7},7,` +
			`{"path":"../x","user_profile_id":9},{"path":"2/a.original","s3_path":"2/a.original","user_profile_id":7}]`,
		"avatars/2/a.png": "png", "avatars/2/a.original": "png", "emoji/2/emoji/images/5.png": "png",
		"attachment.json": `{"zerver_attachment":[{"path_id":"2/ab/k/plan.txt","file_name":"plan.txt"},` +
			`{"path_id":"../x"},7]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &collected{}
	if err := s.Messages(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return d, c, report
}

func TestDirectory(t *testing.T) {
	d, _, report := read(t, "")
	ada := d.People[0]
	if ada.Avatar == nil || ada.Avatar.Path != "avatars/2/a.original" || ada.Fields["1"] != "123" || ada.Status != "out" ||
		ada.StatusFor != "car" || !slices.Equal(ada.Words, []string{"lunch"}) || len(ada.Identities) != 1 ||
		string(ada.Settings) != `{"enter_sends":true,"timezone":"Europe/Berlin"}` {
		t.Errorf("got %+v", ada)
	}
	if b := d.People[1]; b.Bot != user.OutgoingWebhook || b.Owner != "7" || b.Email != "b@x.org" {
		t.Errorf("got %+v", b)
	}
	if p := d.People[2]; !p.Inactive || p.Role != user.Member {
		t.Errorf("got %+v", p)
	}
	if p := d.People[4]; !p.Inactive || p.Name != "Dummy" {
		t.Errorf("got %+v", p)
	}
	if c := d.Channels; !c[0].Default || c[0].Protected || !c[1].Private || !c[1].Archived || c[1].Protected ||
		!c[2].Protected {
		t.Errorf("got %+v", c)
	}
	sub := []importing.Subscription{{Person: "7", Channel: "1", Muted: true, Pinned: true, Color: "#aabbcc"}}
	if !reflect.DeepEqual(d.Subscriptions, sub) {
		t.Errorf("got %+v", d.Subscriptions)
	}
	if g := d.Groups; len(g) != 1 || g[0].Name != "devs" || g[0].Loss == nil ||
		!slices.Equal(g[0].Members, []importing.Key{"7"}) {
		t.Errorf("got %+v", g)
	}
	if len(d.Emoji) != 1 || d.Emoji[0].Image.Path != "emoji/2/emoji/images/5.png" || len(d.Fields) != 2 ||
		len(d.Policies) != 2 {
		t.Errorf("got %+v, %+v, %+v", d.Emoji, d.Fields, d.Policies)
	}
	line := `{"muted_id":9,"since":"1970-01-01T00:00:07.25Z","user_id":7}`
	if len(d.Rows) != 1 || d.Rows[0].Table != "user_mutes" || string(d.Rows[0].Line) != line {
		t.Errorf("got %s", d.Rows)
	}
	for k, want := range map[importing.Kind]importing.Count{
		importing.People: {Refused: 3}, importing.Subscriptions: {Imported: 2, Refused: 1},
		importing.Groups: {Skipped: 2},
		importing.Emojis: {Refused: 1}, importing.Policies: {Refused: 1}, importing.Reactions: {Refused: 1},
		importing.Others: {Imported: 6, Skipped: 2},
	} {
		want.Kind = k
		if got := report.Of(k); got != want {
			t.Errorf("%s: got %+v, want %+v", k, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	_, c, report := read(t, unusual)
	if len(c.all) != 4 {
		t.Fatalf("%d messages: %+v", len(c.all), report.Reasons())
	}
	m := c.all[0]
	if len(m.Reactions) != 2 || m.Reactions[0].Name != "zulip" || m.Reactions[1].Custom != "5" || len(m.Edits) != 3 ||
		*m.Edits[0].PrevContent != "w" || *m.Edits[1].PrevTopic != "r" || m.Edits[1].PrevChannel != "3" ||
		*m.Edits[2].PrevTopic != "s" || m.Edited.Unix() != 6 || m.Moved.Unix() != 9 || m.Sent.Nanosecond() != 1000 {
		t.Errorf("got %+v", m)
	}
	for i, want := range [][]importing.Key{{"7", "9"}, {"7"}, {"7", "9"}} {
		if got := c.all[i+1]; !slices.Equal(got.People, want) || got.Topic != "" || got.Sent.Unix() != 5 {
			t.Errorf("got %+v, want %v", got, want)
		}
	}
	if c.all[3].Loss == nil || report.Of(importing.Messages).Refused != 5 {
		t.Errorf("got %+v, %+v", c.all[3], report.Reasons())
	}
}

func TestTexts(t *testing.T) {
	s, _, err := opened(t, map[string]string{
		"realm.json": small, "attachment.json": `{"zerver_attachment":[{"path_id":"2/ab/k/plan.txt"}]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	convert := s.(*source).newTexts()
	for text, want := range map[string]string{
		"@**Ada|7** @_**Ada|7** @**Ada** @**Two** @**all**":     "<person 7> <silent 7> <person 7> @**Two** @**all**",
		"@*devs* @*role:members*":                               "<group group-2> @*role:members*",
		"#**all** #**all>t** #**all>t@5** #**nope**":            "<channel 1> <topic 1 t> <message 5> #**nope**",
		"[p](/user_uploads/2/ab/k/plan.txt).":                   "[p](<file 2/ab/k/plan.txt>).",
		"https://old.example/user_uploads/2/ab/k/plan.txt.":     "<file 2/ab/k/plan.txt>.",
		"/user_uploads/2/ab/gone.txt":                           "/user_uploads/2/ab/gone.txt",
		"[see](#narrow/channel/1-all/topic/t/near/5)":           "see (<message 5>)",
		"https://z.x/#narrow/stream/1-all/topic/t/near/5, then": "<message 5>, then",
		"[@**Ada**](/user_uploads/2/ab/k/plan.txt)":             "[<person 7>](<file 2/ab/k/plan.txt>)",
		"a\x00b\r\n": "ab\n",
	} {
		got := importing.Expand(convert.convert(text), func(r importing.Ref) string {
			out := "<" + string(r.Kind) + " " + string(r.Key)
			if r.Detail != "" {
				out += " " + r.Detail
			}
			return out + ">"
		})
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if convert.lost != 1 {
		t.Errorf("%d files are missing", convert.lost)
	}
}

// TestMutations damages files: no damage ends the import once it has begun.
func TestMutations(t *testing.T) {
	valid := export(generate(2)[:200])
	r := rand.New(rand.NewPCG(3, 3))
	values := []string{"null", "NaN", "-1", `"x"`, "[]", "{}", "1e400", "[[[[", "99999999999999999999", `"\ud800"`}
	for range 60 {
		files := map[string]string{}
		for name, text := range valid {
			for range r.IntN(4) {
				switch at := r.IntN(len(text)); r.IntN(3) {
				case 0:
					text = text[:at] + string(rune(r.IntN(256))) + text[at+1:]
				case 1:
					if i := strings.Index(text[at:], `":`); i >= 0 {
						from := at + i + 2
						text = text[:from] + values[r.IntN(len(values))] + text[from+strings.IndexAny(text[from:], ",}]"):]
					}
				case 2:
					if r.IntN(5) == 0 {
						text = text[:at+1]
					}
				}
			}
			files[name] = text
		}
		s, _, err := opened(t, files)
		if importing.IsUnusable(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Files(t.Context(), func(*importing.File) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Messages(t.Context(), &collected{}); err != nil {
			t.Fatal(err)
		}
	}
}
