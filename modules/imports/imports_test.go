package imports_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	maillog "github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/alertwords"
	"github.com/stoachat/stoa/modules/avatars"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/confirmations"
	"github.com/stoachat/stoa/modules/emoji"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/exports"
	"github.com/stoachat/stoa/modules/groups"
	stored "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/imports"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/status"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/uploads"
	"github.com/stoachat/stoa/ports"
)

func dependencies() []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, uploads.Module, events.Module,
		topics.Module, alertwords.Module, avatars.Module, emoji.Module, stored.Module,
		profilefields.Module, status.Module, exports.Module, images.Module, disk.Module,
		confirmations.Module, mail.Module, maillog.Module,
	}
}

func TestModule(t *testing.T) { kittest.Check(t, imports.Module, dependencies()...) }

// server is a server with several organizations.
type server struct {
	*kittest.Server
	t         testing.TB
	statement atomic.Pointer[func()]       // called for each statement
	text      atomic.Pointer[func(string)] // called with each statement
	data      string                       // the data directory
}

func start(t testing.TB, url string) *server {
	t.Helper()
	return startLogging(t, url, nil)
}

// startLogging starts a server with a log; nil: the test's, in which errors fail the test.
func startLogging(t testing.TB, url string, log *slog.Logger, more ...kit.Module) *server {
	t.Helper()
	return startWith(t, url, "modules: {realm: {domain: 127.0.0.1}}", log, append(dependencies(), more...)...)
}

func startWith(t testing.TB, url, config string, log *slog.Logger, modules ...kit.Module) *server {
	t.Helper()
	s := &server{t: t}
	s.Server = kittest.StartWith(t, kittest.Options{
		Config: config, DatabaseURL: url, Clock: kittest.NewTickingClock(), Log: log,
		Observe: func(text string) {
			if fn := s.text.Load(); fn != nil {
				(*fn)(text)
			}
			if fn := s.statement.Load(); fn != nil {
				(*fn)()
			}
		},
	}, append(modules, imports.Module, s.module())...)
	return s
}

// module is a module that learns the data directory.
func (s *server) module() kit.Module {
	type needs struct {
		fx.In
		Dir ports.DataDir
	}
	return kit.Define("inspector", "Inspects.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		s.data = string(n.Dir)
		return kit.Parts{}, nil
	})
}

// fill gives the organization everything that an import must keep.
func (s *server) fill() {
	s.t.Helper()
	s.allowExport()
	alice, bob, olga := s.As("alice"), s.As("bob"), s.As("olga")
	send := func(by *kittest.Client, topic, text string) int64 {
		return by.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", topic, "content", text).OK().Int("id")
	}
	first := send(alice, "plans", "hello @**bob** and #**general>plans**")
	url := alice.Upload("POST /user_uploads", "notes.txt", []byte("the notes")).OK().String("url")
	send(alice, "plans", "see [notes.txt]("+url+")")
	second := send(bob, "plans", fmt.Sprintf("about #**general>plans@%d** by @**alice|%d**", first, s.UserID("alice")))
	send(bob, "lunch", fmt.Sprintf("@**Alice|%d**, %s", s.UserID("alice"), strings.Repeat("long ", 1000)))
	bob.Do(fmt.Sprintf("POST /messages/%d/reactions", first), "emoji_name", "tada").OK()
	drawn, _ := picture.Draw(picture.Generated("alice"))
	alice.Upload("POST /users/me/avatar", "me.png", drawn).OK()
	bob.Upload("POST /realm/emoji/greenhouse", "parrot.png", drawn).OK()
	send(bob, "plans", "so :greenhouse:")
	alice.Do(fmt.Sprintf("POST /messages/%d/reactions", first), "emoji_name", "greenhouse").OK()
	alice.Do(fmt.Sprintf("PATCH /messages/%d", first), "content", "hello again @**bob**").OK()
	alice.Do("POST /messages", "type", "direct", "to", `["bob@example.com"]`, "content", "in private").OK()
	alice.Do("POST /messages", "type", "channel", "to", `"secret"`, "topic", "x", "content", "a secret").OK()
	olga.Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", second), "op", "add", "flag", "starred").OK()
	bob.Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", first), "op", "add", "flag", "read").OK()
	bob.Do("POST /users/me/alert_words", "alert_words", `["plans"]`).OK()
	bob.Do("POST /user_topics", "stream_id", fmt.Sprint(s.ChannelID("general")), "topic", "lunch",
		"visibility_policy", "1").OK()
	olga.Do("POST /user_groups/create", "name", "friends", "description", "of mine", "members",
		fmt.Sprintf("[%d,%d]", s.UserID("alice"), s.UserID("bob"))).OK()
}

// allowExport lets the owner export everything.
func (s *server) allowExport() {
	s.t.Helper()
	if err := s.Ports.Settings.Set(s.t.Context(), s.Realm, "owner_full_content_access", true); err != nil {
		s.t.Fatal(err)
	}
}

// export returns a complete export of the organization that a client owns.
func (s *server) export(owner *kittest.Client) []byte {
	s.t.Helper()
	owner.Do("POST /export/realm", "export_type", "full_without_consent").OK()
	s.RunJob("exports.write")
	var list struct {
		Exports []struct {
			URL *string `json:"export_url"`
		}
	}
	owner.Do("GET /export/realm").OK().JSON(&list)
	last := list.Exports[len(list.Exports)-1]
	if last.URL == nil {
		s.t.Fatal("the export is not complete")
	}
	_, path, _ := strings.Cut(*last.URL, "/exports/")
	a := owner.Under("").Do("GET /exports/" + path)
	if a.Status != 200 {
		s.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return []byte(a.Body)
}

// result is the output of the command.
type result struct {
	Realm  ids.Realm `json:"realm"`
	Counts []struct {
		Kind                                  string
		Imported, Converted, Skipped, Refused int
	}
	Reasons []struct{ Kind, Outcome, Reason string }
	Notes   []string

	Collisions []struct {
		Kind, Key, Name string
		Here            string `json:"name_here"`
	}
}

// run runs the command on an archive.
func (s *server) run(archive []byte, flags map[string]any) (result, error) {
	s.t.Helper()
	return s.runIn(s.t.Context(), archive, flags)
}

func (s *server) runIn(ctx context.Context, archive []byte, flags map[string]any) (result, error) {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "archive.tar.gz")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		s.t.Fatal(err)
	}
	in := map[string]any{"Archive": path, "Realm": "moved"}
	maps.Copy(in, flags)
	return s.command(ctx, "import stoa", in)
}

// command runs a command.
func (s *server) command(ctx context.Context, name string, in map[string]any) (result, error) {
	s.t.Helper()
	c, ok := s.Ports.Collected.Command(name)
	if !ok {
		s.t.Fatal("no command")
	}
	text, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Run(ctx, user.Actor{System: true}, text, &out); err != nil {
		return result{}, err
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		s.t.Fatal(err)
	}
	return r, nil
}

// as returns a client of a user of the imported organization.
func (s *server) as(r result, name string) *kittest.Client { return s.at(r, "moved", name) }

// at returns a client of a user of an organization with a subdomain.
func (s *server) at(r result, subdomain, name string) *kittest.Client {
	s.t.Helper()
	id := s.realmOf(r)
	v, err := s.Ports.Directory.Verified(s.t.Context(), id.Realm)
	if err != nil {
		s.t.Fatal(err)
	}
	u := v.UserByEmail(name + "@example.com")
	if u == nil {
		s.t.Fatalf("%s was not imported", name)
	}
	key, err := s.Ports.Accounts.IssueKey(s.t.Context(), id, u.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.WithKey(u.DeliveryEmail, key).At(subdomain + ".127.0.0.1")
}

func (s *server) realmOf(r result) user.Actor { return user.Actor{Realm: r.Realm, System: true} }

// An export that is imported and exported again has the same content.
func TestStoa(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		s.fill()
		before := s.export(s.As("olga"))
		r, err := s.run(before, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, why := range r.Reasons {
			if why.Outcome == "refused" {
				t.Errorf("refused: %+v", why)
			}
		}
		owner := s.as(r, "olga")
		after := s.export(owner)
		want, got := contentOf(t, before), contentOf(t, after)
		for table, lines := range want {
			if !slices.Equal(lines, got[table]) {
				t.Errorf("%s:\n%s\nwant\n%s", table, strings.Join(got[table], "\n"), strings.Join(lines, "\n"))
			}
		}
		s.unchanged(t, before, after, owner)
	})
}

// unchanged imports an archive again, and compares the organization with what it was.
func (s *server) unchanged(t *testing.T, archive, before []byte, owner *kittest.Client) {
	t.Helper()
	if _, err := s.run(archive, nil); err != nil {
		t.Fatal(err)
	}
	want, got := contentOf(t, before), contentOf(t, s.export(owner))
	for table, lines := range want {
		if !slices.Equal(lines, got[table]) {
			t.Errorf("after the second import, %s:\n%s\nwant\n%s", table, strings.Join(got[table], "\n"),
				strings.Join(lines, "\n"))
		}
	}
}

// A dry run writes nothing, and counts what an import counts.
func TestDryRun(t *testing.T) {
	s := start(t, "")
	s.fill()
	archive := s.export(s.As("olga"))
	dry, err := s.run(archive, map[string]any{"DryRun": true})
	if err != nil || dry.Realm != 0 {
		t.Fatal(dry, err)
	}
	if all, err := s.Ports.Realms.All(t.Context()); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	done, err := s.run(archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(r result, kind string) string {
		for _, c := range r.Counts {
			if c.Kind == kind {
				return fmt.Sprint(c)
			}
		}
		return ""
	}
	for _, kind := range []string{"people", "channels", "subscriptions", "messages", "groups"} {
		if of(dry, kind) != of(done, kind) || of(dry, kind) == "" {
			t.Errorf("%s: %s, %s", kind, of(dry, kind), of(done, kind))
		}
	}
}

// Archives that cannot be imported are refused before anything is written.
func TestRefused(t *testing.T) {
	s := start(t, "")
	for name, archive := range map[string][]byte{"text": []byte("hello"), "empty": tarred(t, nil),
		"incomplete": tarred(t, map[string]string{"users/000001.jsonl": "{}\n"}),
		"newer":      tarred(t, map[string]string{"users/000001.jsonl": "{}\n", "manifest.json": `{"format":2}`})} {
		if _, err := s.run(archive, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if all, err := s.Ports.Realms.All(t.Context()); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}

func tarred(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600, Typeflag: tar.TypeReg})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
