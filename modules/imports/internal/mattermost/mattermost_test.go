package mattermost

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

// seen is a message in the form in which a model and what was read are compared.
type seen struct {
	Where, By, Text, Topic, Reactions, Starred, Unread string
	At, Edited                                         int64
}

// expected returns the messages of a model.
func (m *model) expected() []seen {
	var out []seen
	for _, root := range m.posts {
		topic := ""
		if root.channel != "" {
			if topic = mainTopic; len(root.replies) > 0 {
				topic = "thread"
			}
		}
		for _, p := range append([]said{root}, root.replies...) {
			s := seen{By: p.by, Text: p.text, At: p.at, Edited: p.edited, Starred: strings.Join(p.flagged, " "), Topic: topic}
			s.Where = "acme/" + p.channel
			if p.channel == "" {
				members := slices.Clone(p.members)
				slices.Sort(members)
				s.Where = strings.Join(slices.Compact(members), ",")
			}
			_, rest, _ := strings.Cut(p.text, "@")
			mentioned, _, _ := strings.Cut(rest, ":")
			s.Text = strings.NewReplacer("@"+mentioned, "<person "+mentioned+">", "~channel-3", "<channel acme/channel-3>").
				Replace(p.text)
			if p.file != "" {
				s.Text += "\n\n[" + p.file[strings.LastIndex(p.file, "/")+1:] + "](<file data/" + p.file + ">)"
			}
			if p.channel == "" && !reflect.DeepEqual(p, root) {
				s.Text = "> [In reply to](<message " + string(postKey(importing.Key(s.Where), &postLine{User: root.by,
					CreateAt: root.at})) + ">)\n\n" + s.Text
			}
			for _, by := range slices.Sorted(maps.Keys(p.reacted)) {
				s.Reactions += by + " " + p.reacted[by] + "; "
			}
			var unread []string
			for u, at := range m.views[p.channel] {
				if at < p.at && u != p.by {
					unread = append(unread, u)
				}
			}
			slices.Sort(unread)
			s.Unread = strings.Join(unread, " ")
			out = append(out, s)
		}
	}
	return out
}

func texts(keys []importing.Key) string {
	var out []string
	for _, k := range keys {
		out = append(out, string(k))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestModel(t *testing.T) {
	m := generate(1)
	files := map[string]string{"import.jsonl": strings.Join(m.export(), "\n"), "data/emoji/parrot.png": "png"}
	wantFiles := map[string]string{}
	for _, p := range m.posts {
		for _, one := range append([]said{p}, p.replies...) {
			if one.file != "" {
				files["data/"+one.file] = one.text
				wantFiles["data/"+one.file] = one.by
			}
		}
	}
	s, report := opened(t, importing.Options{}, files)
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.People) != len(m.people)+1 || len(d.Channels) != len(m.channels) || len(d.Subscriptions) != 50*30 {
		t.Errorf("%d people, %d channels, %d subscriptions", len(d.People), len(d.Channels), len(d.Subscriptions))
	}
	if d.People[0].Role != user.Owner || d.People[1].Role != user.Member || len(d.Emoji) != 1 {
		t.Errorf("got %+v, %+v", d.People[:2], d.Emoji)
	}
	gotFiles := map[string]string{}
	err = s.Files(t.Context(), func(f *importing.File) error { gotFiles[string(f.Key)] = string(f.Owner); return nil })
	if err != nil || !maps.Equal(gotFiles, wantFiles) {
		t.Errorf("files: got %v, want %v (%v)", gotFiles, wantFiles, err)
	}
	c := &collected{}
	if err := s.Messages(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var got []seen
	keys, topics := map[importing.Key]bool{}, map[string]bool{}
	for _, m := range c.all {
		if keys[m.Key] {
			t.Errorf("the key %s occurs twice", m.Key)
		}
		keys[m.Key] = true
		if m.Sender == notifier {
			continue
		}
		one := seen{
			Where: string(m.Channel), By: string(m.Sender), Text: readable(m.Content), At: m.Sent.UnixMilli(), Topic: m.Topic,
			Starred: texts(m.Starred), Unread: texts(m.Unread),
		}
		if m.Channel == "" {
			one.Where = strings.ReplaceAll(texts(m.People), " ", ",")
		} else if m.Topic != mainTopic {
			topics[one.Where+m.Topic] = true
			one.Topic = "thread"
		}
		if !m.Edited.IsZero() {
			one.Edited = m.Edited.UnixMilli()
		}
		for _, r := range m.Reactions {
			one.Reactions += string(r.By) + " " + cmp.Or(string(r.Custom), r.Name) + "; "
		}
		got = append(got, one)
	}
	want, threads := m.expected(), 0
	for _, p := range m.posts {
		if p.channel != "" && len(p.replies) > 0 {
			threads++
		}
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("message %d:\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) || len(topics) != threads {
		t.Errorf("%d messages, want %d; %d topics, want %d", len(got), len(want), len(topics), threads)
	}
	if r := report.Reasons(); len(r) > 0 {
		t.Errorf("left out: %+v", r)
	}
	again := &collected{}
	if err := s.Messages(t.Context(), again); err != nil || !reflect.DeepEqual(c.all, again.all) {
		t.Errorf("a second reading differs (%v)", err)
	}
}

// TestGrown checks that the keys and topics of what was in an older export stay the same.
func TestGrown(t *testing.T) {
	m := generate(2)
	read := func() map[importing.Key]string {
		s, _ := opened(t, importing.Options{}, map[string]string{"import.jsonl": strings.Join(m.export(), "\n")})
		c := &collected{}
		if err := s.Messages(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all := map[importing.Key]string{}
		for _, m := range c.all {
			all[m.Key] = m.Topic
		}
		return all
	}
	whole := read()
	all := m.posts
	m.posts = m.posts[:1500]
	part := read()
	for k, topic := range part {
		if got, ok := whole[k]; !ok || got != topic {
			t.Errorf("%s: in %q, was in %q", k, got, topic)
		}
	}
	if m.posts = all; len(whole) <= len(part) {
		t.Errorf("%d messages, then %d", len(part), len(whole))
	}
}

const head = `{"type":"version","version":1}
{"type":"team","team":{"name":"acme","display_name":"Acme"}}
{"type":"channel","channel":{"team":"acme","name":"town-square","display_name":"Town","type":"O"}}
{"type":"channel","channel":{"team":"acme","name":"dev","display_name":"Dev","type":"P","purpose":"Code","header":"Hi"}}
{"type":"user","user":{"username":"ada","email":"ada@x.org","first_name":"Ada","last_name":"L.","teams":null}}
{"type":"user","user":{"username":"bob.","email":"bob@x.org","nickname":"Bobby"}}
`

func TestUnusable(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		team  string
		want  string
	}{
		{map[string]string{"users.json": "[]", "channels.json": "[]"}, "", "stoa import slack"},
		{map[string]string{"realm.json": "{}"}, "", "stoa import zulip"},
		{map[string]string{"x.txt": "{}"}, "", "no file of JSON lines"},
		{map[string]string{"a.jsonl": head, "b.jsonl": head}, "", "several files"},
		{map[string]string{"a.jsonl": `{"type":"version","version":2}`}, "", "version 2"},
		{map[string]string{"a.jsonl": `{"type":"team"}`}, "", "does not begin with a version"},
		{map[string]string{"a.jsonl": ""}, "", "does not begin with a version"},
		{map[string]string{"a.jsonl": `{"type":"version","version":1}`}, "", "contains no team"},
		{map[string]string{"a.jsonl": head + `{"type":"team","team":{"name":"b"}}`}, "", "--team: acme, b"},
		{map[string]string{"a.jsonl": head}, "other", `the team "other"`},
	} {
		_, err := Format.Open(t.Context(), importing.Input{
			Archive: zipped(t, c.files), Options: importing.Options{Workspace: c.team}, Report: importing.NewReport(), Now: now,
			EmojiCode: codes,
		})
		if !importing.IsUnusable(err) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%v: got %v, want %q", c.files, err, c.want)
		}
	}
}

// read reads an export that consists of the head and other lines.
func read(t *testing.T, o importing.Options, lines string, files ...string) (*importing.Directory,
	[]*importing.Message, *importing.Report,
) {
	t.Helper()
	all := map[string]string{"import.jsonl": head + lines}
	for _, f := range files {
		all[f] = f
	}
	s, report := opened(t, o, all)
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &collected{}
	if err := s.Messages(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return d, c.all, report
}

// post returns the line of a post of ada in the channel dev.
func postOf(rest string) string {
	return `{"type":"post","post":{"team":"acme","channel":"dev","user":"ada","create_at":1000000000000` + rest + "}}\n"
}

func TestPosts(t *testing.T) {
	for _, c := range []struct{ post, want string }{
		{`,"message":"hi"`, "hi"},
		{`,"type":"me","message":"*waves*"`, "/me waves"},
		{`,"type":"me","message":"*x*","props":{"message":"waves @bob."}`, "/me waves <person bob.>"},
		{`,"type":"system_join_channel","message":"ada joined"`, ""},
		{`,"type":"system_header_change","message":"ada updated the header to: x"`, "/me updated the header to: x"},
		{`,"type":"system_displayname_change","message":"@ada changed\nthe name"`, "/me changed the name"},
		{`,"type":"custom_calls","message":""`, "/me had a call"},
		{`,"type":"custom_run_update","message":"done"`, "done"},
		{`,"type":"new","message":"text"`, "text"},
		{`,"message":"x","props":{"override_username":"CI","from_webhook":"true"}`, "(via CI) x"},
		{`,"message":"x","props":{"override_username":"CI"}`, "x"},
		{`,"message":"x","props":"{}"`, "x"},
		{
			`,"message":"","type":"slack_attachment","props":{"attachments":[{"fallback":"f","text":"t @ada"}]}`,
			"t <person ada>",
		},
		{`,"message":"","props":{"attachments":[{"fallback":"only *this*"}]}`, "only *this*"},
		{
			`,"message":"m","props":{"attachments":[{"pretext":"p","author_name":"A","author_link":"https://a","title":"T",` +
				`"title_link":"https://t/(x)","text":"x","fields":[{"title":"a","value":1,"short":true},` +
				`{"title":"b","value":"2","short":true},{"title":"c","value":"3"}],"image_url":"https://i","footer":"F",` +
				`"actions":[{"name":"Go"}]}]}`,
			"m\n\np\n[A](https://a)\n**[T](https://t/%28x%29)**\nx\n**a**: 1 | **b**: 2\n**c**: 3\n[image](https://i)\nF\n(Go)",
		},
		{`,"message":"x","attachments":[{"path":"f/a.txt"}]`, "x\n\n[a.txt](<file data/f/a.txt>)"},
		{`,"attachments":[{"path":"data/f/a.txt"}]`, "[a.txt](<file data/f/a.txt>)"},
		{`,"attachments":[{"path":"/opt/mm/data/f/a.txt"}]`, "[a.txt](<file data/f/a.txt>)"},
		{`,"attachments":[{"path":"../import.jsonl"}]`, "[import.jsonl](missing file)"},
		{`,"attachments":[{"path":"import.jsonl"}]`, "[import.jsonl](missing file)"},
		{`,"attachments":[{"path":"gone.txt"},7]`, "[gone.txt](missing file)"},
	} {
		_, all, report := read(t, importing.Options{}, postOf(c.post), "data/f/a.txt")
		got := ""
		if len(all) > 0 {
			got = readable(all[0].Content)
		}
		if got != c.want || len(all) > 1 {
			t.Errorf("%s: got %q, want %q", c.post, got, c.want)
		}
		if n := report.Of(importing.Messages).Skipped; c.want == "" && n != 1 {
			t.Errorf("%s: %d skipped", c.post, n)
		}
	}
}

func TestMarkdown(t *testing.T) {
	s, _ := opened(t, importing.Options{}, map[string]string{"import.jsonl": head +
		`{"type":"emoji","emoji":{"name":"parrot","image":"p.png"}}`})
	for text, want := range map[string]string{
		"@ada, @bob. @ada. @Ada":         "<person ada>, <person bob.> <person ada>. <person ada>",
		"@adam @nobody a@ada x/@ada":     "@adam @nobody a@ada x/@ada",
		"@all @channel @here":            "@**all** @**all** @**all**",
		"~dev ~dev. ~x ~~dev~~":          "<channel acme/dev> <channel acme/dev>. ~x ~~dev~~",
		":smile: :parrot: :x: 1:2:3":     ":smile: <emoji parrot> :x: 1:2:3",
		":wave_dark_skin_tone:":          "👋🏿",
		"`@ada` ``a`@ada`` @ada":         "`@ada` ``a`@ada`` <person ada>",
		"```\n@ada\n```\n@ada":           "```\n@ada\n```\n<person ada>",
		"```latex\nx^2\n```":             "```math\nx^2\n```",
		"~~~go\n```\n@ada\n~~~":          "~~~go\n```\n@ada\n~~~",
		"![alt](http://x =10x20) ![](y)": "[alt](http://x) [image](y)",
		"https://x/@ada/~dev":            "https://x/@ada/~dev",
		"@**all** #**x** #tag":           "@ **all** # **x** #tag",
		"a\r\nb\x00c":                    "a\nbc",
		"| a | b |\n|---|---|":           "| a | b |\n|---|---|",
		"`open @ada":                     "`open <person ada>",
	} {
		if got := readable(s.(*source).markdown(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestThreads(t *testing.T) {
	line := postOf(`,"message":"## Lunch with @ada?\nmore","replies":[
		{"user":"bob.","message":"yes","create_at":1000000001000},{"user":"bob.","message":"no","create_at":1000000001000},
		{"user":7}],"thread_followers":[{"user":"ada","last_viewed":1000000000500},{"user":"bob."}]`)
	line = strings.ReplaceAll(line, "\n\t\t", "")
	d, all, report := read(t, importing.Options{}, line)
	var got []string
	for _, m := range all {
		got = append(got, string(m.Sender)+" in "+m.Topic+": "+readable(m.Content)+" unread by "+texts(m.Unread))
	}
	want := []string{
		"@notification-bot in imported from Mattermost: " +
			"<silent ada> started <topic acme/dev Lunch with @Ada L.?> (2 replies). unread by ",
		"ada in Lunch with @Ada L.?: ## Lunch with <person ada>?\nmore unread by ",
		"bob. in Lunch with @Ada L.?: yes unread by ada",
		"bob. in Lunch with @Ada L.?: no unread by ada",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if len(d.Policies) != 2 || d.Policies[0].Topic != "Lunch with @Ada L.?" || all[2].Key == all[3].Key {
		t.Errorf("got %+v", d.Policies)
	}
	if n := report.Of(importing.Messages).Refused; n != 1 {
		t.Errorf("%d refused", n)
	}
	_, all, _ = read(t, importing.Options{Threads: "inline", Split: "year"}, line)
	inline := readable(all[1].Content)
	if all[1].Topic != "2001" || !strings.HasPrefix(inline, "> In reply to <message acme/dev/") {
		t.Errorf("got %q in %q", inline, all[1].Topic)
	}
}

func TestPins(t *testing.T) {
	_, all, _ := read(t, importing.Options{}, postOf(`,"message":"x","is_pinned":true`))
	if len(all) != 2 || all[1].Topic != pinnedTopic ||
		!strings.Contains(readable(all[1].Content), "<message "+string(all[0].Key)+">") {
		t.Errorf("got %+v", all)
	}
	if _, all, _ = read(t, importing.Options{NoPins: true}, postOf(`,"message":"x","is_pinned":true`)); len(all) != 1 {
		t.Errorf("got %+v", all)
	}
}

// TestEqualPosts checks that two posts of one author at one time both have a key of their own.
func TestEqualPosts(t *testing.T) {
	_, all, _ := read(t, importing.Options{}, postOf(`,"message":"a"`)+postOf(`,"message":"b"`))
	if len(all) != 2 || all[0].Key == all[1].Key {
		t.Errorf("got %+v", all)
	}
}
