package slack

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

// small returns an export with a channel, a group conversation, and the given messages of the channel.
func small(messages ...any) memory {
	m := memory{}
	m.put("users.json", []any{
		obj{"id": "U1", "team_id": "T1", "is_primary_owner": true,
			"profile": obj{"real_name": "Ada", "email": "ada@example.com"}},
		obj{"id": "U2", "team_id": "T1", "name": "bob"},
		obj{"id": "U3", "team_id": "T2", "real_name": "Eve from elsewhere", "is_owner": true},
		obj{"id": "USLACKBOT", "team_id": "T1", "real_name": "Slackbot"},
	})
	m.put("channels.json", []any{obj{
		"id": "C1", "name": "general", "members": []string{"U1"}, "pins": []any{obj{"id": "10.000000", "type": "C"}},
	}})
	m.put("mpims.json", []any{obj{"id": "G1", "name": "mpdm-a--b-1", "members": []string{"U1", "U2", "U3"}}})
	m.put("general/1970-01-01.json", messages)
	return m
}

func said(ts, text string) obj { return obj{"type": "message", "user": "U1", "ts": ts, "text": text} }

func replied(ts, to, text string) obj {
	return obj{"type": "message", "user": "U2", "ts": ts, "text": text, "thread_ts": to}
}

func TestInspect(t *testing.T) {
	for _, c := range []struct {
		names     []string
		workspace string
		want      string // a part of the error
	}{
		{[]string{"channels.json", "users.json"}, "", ""},
		{[]string{"dms.json", "users.json"}, "", ""},
		{[]string{"users.json"}, "", "lists no channels"},
		{[]string{"channels.json"}, "", "lists no people"},
		{[]string{"general/2024-01-01.txt"}, "", "(TXT)"},
		{[]string{"import.jsonl"}, "", "not an export of Slack"},
		{[]string{"org_users.json", "teams/a/channels.json", "teams/b/channels.json"}, "", "--workspace: a, b"},
		{[]string{"org_users.json", "teams/a/channels.json", "teams/b/channels.json"}, "c", `no workspace "c"`},
		{[]string{"org_users.json", "teams/a/channels.json", "teams/b/channels.json"}, "b", ""},
		{[]string{"org_users.json", "teams/a/channels.json"}, "", ""},
	} {
		_, err := inspect(c.names, c.workspace)
		if (err == nil) != (c.want == "") ||
			err != nil && (!importing.IsUnusable(err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.names, err, c.want)
		}
	}
}

func TestGrid(t *testing.T) {
	m := memory{}
	m.put("org_users.json", []any{obj{"id": "U1", "is_owner": true, "name": "ada"}})
	m.put("channels.json", []any{obj{"id": "C0", "name": "shared"}})
	m.put("shared/2024-01-01.json", []any{said("1704100000.000001", "in all")})
	for _, w := range []string{"a", "b"} {
		m.put("teams/"+w+"/channels.json", []any{obj{"id": "C" + w, "name": "general"}})
		m.put("teams/"+w+"/general/2024-01-01.json", []any{said("1704100000.000001", "in "+w)})
	}
	s, report := opened(t, m, importing.Options{Workspace: "b"}, nil)
	if _, err := s.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := messagesOf(t, s)
	if len(got) != 2 || got["Cb/1704100000.000001"].Content != "in b" || got["C0/1704100000.000001"] == nil {
		t.Errorf("got %v", got)
	}
	if n := report.Of(importing.Others).Skipped; n != 2 {
		t.Errorf("%d files of the other workspace, want 2", n)
	}
}

func TestPeople(t *testing.T) {
	s, _ := opened(t, small(), importing.Options{}, nil)
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[importing.Key]importing.Person{}
	for _, p := range d.People {
		by[p.Key] = p
	}
	if p := by["U1"]; p.Role != user.Owner || p.Name != "Ada" || p.Inactive {
		t.Errorf("got %+v", p)
	}
	if p := by["U2"]; p.Role != user.Member || p.Name != "bob" {
		t.Errorf("got %+v", p)
	}
	if p := by["U3"]; p.Role != user.Guest || !p.Inactive {
		t.Errorf("got %+v", p)
	}
	if p := by[slackbot]; p.Bot != user.GenericBot || !p.Inactive || p.Owner != "U1" {
		t.Errorf("got %+v", p)
	}
}

func TestPlaces(t *testing.T) {
	messages := []any{
		obj{"type": "message", "user": "U1", "ts": "10.000000", "text": "*root* <@U2>", "thread_ts": "10.000000"},
		obj{"type": "message", "user": "U2", "ts": "11.000000", "text": "reply", "thread_ts": "10.000000",
			"subtype": "thread_broadcast"},
		said("12.000000", "alone"),
		obj{"type": "message", "user": "U1", "ts": "13.000000", "text": "root bob", "reply_count": 1},
		replied("14.000000", "13.000000", "again"),
	}
	m := small(messages...)
	m.put("mpdm-a--b-1/1970-01-01.json", messages)
	for _, c := range []struct {
		options importing.Options
		want    map[importing.Key]string
	}{
		{importing.Options{MainTopic: "old"}, map[importing.Key]string{
			"C1/10.000000": "root @bob: **root** {person U2}", "C1/11.000000": "root @bob: reply", "C1/12.000000": "old: alone",
			"C1/10.000000/thread": "old: {silent U1} started {topic C1 root @bob} (1 reply).", "C1/14.000000": "root " +
				"bob: again",
			"C1/pinned": "pinned: Pinned in Slack:\n\n* {message C1/10.000000}", "G1/11.000000": ": reply",
			"G1/14.000000": ": again",
		}},
		{importing.Options{Threads: "inline", Split: "month", NoPins: true}, map[importing.Key]string{
			"C1/10.000000": "1970-01: **root** {person U2}", "C1/11.000000": "1970-01: > {message C1/10.000000}\n\nreply",
			"C1/10.000000/thread": "", "C1/pinned": "",
		}},
		{importing.Options{Since: time.Unix(12, 0), Split: "year"}, map[importing.Key]string{
			"C1/12.000000": "1970: alone", "C1/14.000000": "root bob: again", "C1/10.000000/thread": "",
		}},
	} {
		s, _ := opened(t, m, c.options, nil)
		got := messagesOf(t, s)
		for k, want := range c.want {
			have := ""
			if m := got[k]; m != nil {
				have = m.Topic + ": " + shown(m.Content)
			}
			if have != want {
				t.Errorf("%+v, %s: got %q, want %q", c.options, k, have, want)
			}
		}
	}
}

func TestDirectReplies(t *testing.T) {
	m := small()
	m.put("mpdm-a--b-1/1970-01-01.json", []any{
		said("10.000000", "a"), replied("11.000000", "10.000000", "b"),
		said("12.000000", "c"), replied("13.000000", "10.000000", "d"),
	})
	s, _ := opened(t, m, importing.Options{}, nil)
	got := messagesOf(t, s)
	if c := shown(got["G1/11.000000"].Content); c != "b" {
		t.Errorf("got %q", c)
	}
	if c := shown(got["G1/13.000000"].Content); c != "[In reply to]({message G1/10.000000})\n\nd" {
		t.Errorf("got %q", c)
	}
}

func TestChanges(t *testing.T) {
	s, report := opened(t, small(
		said("10.000000", "before"), said("11.000000", "unwanted"),
		obj{"type": "message", "subtype": "message_changed", "ts": "12.000000",
			"message": obj{"ts": "10.000000", "text": "after", "edited": obj{"user": "U1", "ts": "12.000000"}}},
		obj{"type": "message", "subtype": "message_deleted", "ts": "13.000000", "deleted_ts": "11.000000"},
	), importing.Options{}, nil)
	got := messagesOf(t, s)
	m := got["C1/10.000000"]
	if m == nil || m.Content != "after" || m.Edited.Unix() != 12 || len(m.Edits) != 1 ||
		*m.Edits[0].PrevContent != "before" {
		t.Errorf("got %+v", m)
	}
	if n := report.Of(importing.Messages).Skipped; got["C1/11.000000"] != nil || n != 3 {
		t.Errorf("%d skipped", n)
	}
}

func TestDamage(t *testing.T) {
	m := small()
	m["general/1970-01-01.json"] = `[{"type":"message","ts":"10.1","user":"U1","text":"first"}, null, 7,` +
		` {"ts":"NaN","text":"x"},` +
		`{"ts":12,"text":"number","user":null,"reactions":"x","files":[1,null,{"id":null}],"edited":[],"blocks":{}},` +
		`{"ts":"13.0","blocks":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `},` +
		`{"ts":"99999999999999999999","text":"late"},{"ts":"14.0","text":"` + strings.Repeat("x",
		importing.MaxValue) + `"},` +
		`{"ts":"15.0","text":"last"},{"ts":"16`
	m["general/other.txt"], m["general/canvas_in_the_conversation.json"] = "x", "{}"
	s, report := opened(t, m, importing.Options{}, nil)
	if _, err := s.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := messagesOf(t, s)
	if got["C1/10.1"] == nil || got["C1/12"] == nil || got["C1/12"].Sender != somebody || got["C1/15.0"] == nil {
		t.Errorf("got %v", got)
	}
	c := report.Of(importing.Messages)
	if n := int64(len(got)) - 1; n+c.Skipped+c.Refused != 10 { // without the list of pins
		t.Errorf("%d messages and %+v do not add up to the 9 elements and the damage", n, c)
	}
	if n := report.Of(importing.Others).Skipped; n != 2 {
		t.Errorf("%d other files, want 2", n)
	}
	for _, broken := range []string{"channels.json", "users.json"} {
		m := small()
		m[broken] = m[broken][:len(m[broken])-1]
		in := importing.Input{Archive: m, Report: importing.NewReport(), Now: today}
		if _, err := open(t.Context(), in); !importing.IsUnusable(err) {
			t.Errorf("%s is damaged: got %v", broken, err)
		}
	}
}

// web is what Slack answers, by address.
type web map[string]string

func (w web) Get(_ context.Context, url string) (io.ReadCloser, string, error) {
	s, ok := w[url]
	if !ok {
		return nil, "", errors.New("not found")
	}
	mediaType, body, _ := strings.Cut(s, " ")
	return io.NopCloser(strings.NewReader(body)), mediaType, nil
}

func TestDownload(t *testing.T) {
	m := small(obj{"type": "message", "user": "U1", "ts": "10.000000", "text": "x", "files": []any{
		obj{"id": "F1", "name": "a.txt", "url_private_download": "https://files.slack.com/a?t=xoxe-1"},
		obj{"id": "F2", "name": "b.txt", "url_private": "https://files.slack.com/b?t=xoxe-1"},
		obj{"id": "F3", "name": "c.txt", "url_private": "https://files.slack.com.evil.example/c"},
	}})
	s, _ := opened(t, m, importing.Options{}, web{
		"https://files.slack.com/a?t=xoxe-1": "text/plain content", "https://files.slack.com/b?t=xoxe-1": "text/html Log in",
		"https://slack.com/api/emoji.list": `application/json {"ok":true,"emoji":{"parrot":"https://emoji.slack-edge.com/p.png",` +
			`"bird":"alias:parrot"}}`,
	})
	d, err := s.Scan(t.Context())
	if err != nil || len(d.Emoji) != 1 || d.Emoji[0].Key != "parrot" {
		t.Fatalf("got %+v, %v", d, err)
	}
	var all []*importing.File
	if err := s.Files(t.Context(), func(f *importing.File) error {
		all = append(all,
			f)
		return nil
	}); err != nil || len(all) != 2 {
		t.Fatalf("got %v, %v", all, err)
	}
	for _, f := range all {
		if strings.Contains(f.Path, "xoxe") {
			t.Errorf("%s contains the token", f.Path)
		}
	}
	r, err := s.Open(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "content" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	if _, err := s.Open(t.Context(), all[1]); !importing.IsUnusable(err) {
		t.Errorf("a page to log in: got %v", err)
	}
}
