package imports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/ids"
)

// An operator chooses the name of a channel whose name is in use.
func TestRename(t *testing.T) {
	s := start(t, "")
	flags := map[string]any{"Archive": meeting(t), "Into": "@root", "DryRun": true}
	dry, err := s.command(t.Context(), "import slack", flags)
	if err != nil || fmt.Sprint(dry.Collisions) != "[{channels C1 General General (2)}]" {
		t.Fatal(dry.Collisions, err)
	}
	delete(flags, "DryRun")
	flags["Rename"] = []string{"C1=Round table"}
	if _, err = s.command(t.Context(), "import slack", flags); err != nil {
		t.Fatal(err)
	}
	v, err := s.Ports.Directory.Verified(t.Context(), s.Realm)
	if err != nil || v.ChannelByName("Round table") == nil || v.ChannelByName("General (2)") != nil {
		t.Error(v.ChannelByName("Round table"), err)
	}
	for _, bad := range []string{"x", "C1=", "=x", "C1=" + strings.Repeat("x", 61), "C1=a\u202eb"} {
		flags["Rename"] = []string{bad}
		if _, err := s.command(t.Context(), "import slack", flags); err == nil || !strings.Contains(err.Error(), "--rename") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// An owner reads which channels are called otherwise, chooses a name for one, checks the archive again, and imports it.
func TestOwnersNames(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		olga := s.As("olga")
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range map[string]string{
			"users.json": exported["slack"]["users.json"],
			"channels.json": `[{"id":"C1","name":"plans","members":["U1"]},{"id":"C2","name":"Plans","members":["U1"]},
				{"id":"C3","name":"` + strings.Repeat("n", 80) + `","members":["U1"]}]`,
		} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint(olga.Do("POST /imports", "program", "slack", "file_name", "a.zip", "size", fmt.Sprint(b.Len())).OK().
			Int("id"))
		s.part(olga, id, 0, b.Bytes()).OK()
		check := func(names string) *kittest.Response {
			t.Helper()
			olga.Do("POST /imports/"+id+"/check", "subdomain", "moved", "names", names).OK()
			s.RunJob("imports.run")
			return s.state(olga)
		}
		a := check("[]")
		if a.String("imports.0.report.collisions.0.key") != "C2" || a.Has("imports.0.report.collisions.2") ||
			a.String("imports.0.report.collisions.0.name_here") != "Plans (2)" || a.Has("imports.0.choices.names.0") {
			t.Fatal(a.Body)
		}
		for _, bad := range []string{`[{"key":"C2","name":""}]`, `[{"key":"C2","name":"a\u0007b"}]`} {
			olga.Do("POST /imports/"+id+"/check", "subdomain", "moved", "names", bad).Error(400, "BAD_REQUEST", "Invalid name")
		}
		a = check(`[{"key":"C2","name":"Decisions"}]`)
		if a.String("imports.0.report.collisions.0.name_here") != "Decisions" ||
			a.String("imports.0.choices.names.0.name") != "Decisions" {
			t.Fatal(a.Body)
		}
		olga.Do("POST /imports/" + id + "/start").OK()
		s.RunJob("imports.run")
		r := s.state(olga).Int("imports.0.imported_realm_id")
		v, err := s.Ports.Directory.Verified(t.Context(), ids.Realm(r))
		if err != nil || v.ChannelByName("Decisions") == nil || v.ChannelByName("Plans (2)") != nil {
			t.Error(s.state(olga).Body, err)
		}
	})
}
