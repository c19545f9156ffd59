package mattermost

import (
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

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

// FuzzLine checks that no line ends the import of those around it, is left uncounted, or becomes a reference that its
// author wrote.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		postOf(`,"message":"@ada ~dev :smile:","edit_at":5,"is_pinned":true,"flagged_by":["ada",""],"reactions":[{"user":` +
			`"ada","emoji_name":"wave_dark_skin_tone"},7],"attachments":[{"path":"x/../y"},{"path":"/srv/data/a.txt"}],` +
			`"props":{"attachments":[{"title":"T","fields":[{"value":{"a":1},"short":"true"}],"actions":[{"name":"A"}]}]},` +
			`"thread_followers":[{"user":"ada","last_viewed":-5}],"replies":[{"user":"ada","message":"r","create_at":1e9}]`),
		postOf(`,"type":"system_header_change","message":"ada x"`), postOf(`,"type":"me","message":"*"`),
		postOf(`,"type":"custom_calls"`), postOf(`,"props":{"from_webhook":"true","override_username":"**"}`),
		`{"type":"direct_post","direct_post":{"channel_members":["ada","ada"],"user":"ada","create_at":1716379200000,` +
			`"message":"\u0000 file data/x\u0000"}}`,
		`{"type":"direct_channel","direct_channel":{"participants":[{"username":"ada","last_viewed_at":9e18}]}}`,
		`{"type":"user","user":{"username":"B","teams":[{"name":"ACME","channels":[{"name":"dev","last_viewed_at":1}]}],` +
			`"custom_status":{"emoji":"wave","expires_at":"x"},"notify_props":{"mention_keys":",@b,c"},"profile_image":".."}}`,
		`{"type":"channel","channel":{"team":"acme","name":"` + strings.Repeat("x", 3000) + `","type":"O"}}`,
		`{"type":"emoji","emoji":{"name":"` + "\u202e" + `","image":"data"}}`, `{"type":"bot","bot":{"username":"ada"}}`,
		`{"type":"role","role":null}`, `{"type":"team","team":{"name":"other"}}`, `{"type":7}`, `7`, "\xff", "{}\n{}",
		strings.Repeat("[", 100),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		report := importing.NewReport()
		s, err := Format.Open(t.Context(), importing.Input{
			Archive: memory{"import.jsonl": head + line + "\n" + postOf(`,"message":"the last one"`), "data/a.txt": "a"},
			Options: importing.Options{Workspace: "acme"}, Report: report, Now: now, EmojiCode: codes,
		})
		if importing.IsUnusable(err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err = s.Files(t.Context(), func(*importing.File) error { return nil }); err != nil {
			t.Fatal(err)
		}
		c := &collected{}
		if err = s.Messages(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		counted, last := int64(0), false
		for _, m := range c.all {
			if m.Sender != notifier {
				counted++
			}
			last = last || strings.HasSuffix(m.Content, "the last one")
			if strings.Count(m.Content, "\x00")%2 != 0 {
				t.Errorf("half of a reference in %q", m.Content)
			}
			for _, r := range importing.References(m.Content) {
				if r.Kind == importing.RefFile && r.Key != "data/a.txt" {
					t.Errorf("a reference that nothing made: %v", r)
				}
			}
		}
		if !last {
			t.Error("the line after it is lost")
		}
		for _, x := range report.Counts() {
			counted += x.Imported + x.Converted + x.Skipped + x.Refused
		}
		if strings.Contains(line, "post") && counted < 2 && strings.TrimSpace(line) != "" {
			t.Errorf("it is not counted: %v", report.Counts())
		}
	})
}
