package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	domain "github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/playgrounds"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, audit.Module) }

// list returns the entries as lines.
func list(t *testing.T, s *kittest.Server, after int64) []string {
	t.Helper()
	var all struct{ Entries []domain.Entry }
	s.As("olga").Do("GET /audit_log").JSON(&all)
	slices.Reverse(all.Entries)
	var lines []string
	for _, e := range all.Entries {
		if e.ID <= after || e.Action == domain.AuditLogRead {
			continue
		}
		lines = append(lines, strings.Join([]string{
			string(e.Action), e.Outcome, e.ActorKind, string(e.TargetKind), string(e.Before), string(e.After), e.IP, e.Route,
		}, " "))
	}
	return lines
}

func start(t *testing.T, url string) *kittest.Server {
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, groups.Module,
		playgrounds.Module, audit.Module)
}

type needs struct {
	fx.In
	DB *bunstore.DB
}

// database returns a module that sets db to the server's database.
func database(db **bunstore.DB) kit.Module {
	wire := func(_ struct{}, n needs) (kit.Parts, error) {
		*db = n.DB
		return kit.Parts{}, nil
	}
	return kit.Define("database", "Gives a test the database.", struct{}{}, wire)
}

type result struct {
	Head, Erased int64
}

// verify verifies the log.
func verify(t *testing.T, s *kittest.Server) (result, error) {
	t.Helper()
	var text bytes.Buffer
	c, ok := s.Ports.Collected.Command("audit verify")
	if !ok {
		t.Fatal("no command")
	}
	if err := c.Run(t.Context(), user.Actor{Realm: s.Realm, System: true}, []byte("{}"), &text); err != nil {
		return result{}, err
	}
	var r result
	return r, json.Unmarshal(text.Bytes(), &r)
}

// verified verifies the log, which is undamaged, and returns the number of its last entry.
func verified(t *testing.T, s *kittest.Server) int64 {
	t.Helper()
	v, err := verify(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return v.Head
}

// A change is recorded in its transaction, with what it was and is; a refused one is not.
func TestChangesAreRecorded(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		before, owner := verified(t, s), s.As("olga")
		owner.Do("PATCH /realm", "description", "Gardeners").OK()
		owner.Do("POST /realm/playgrounds", "name", "Go", "pygments_language", "Go",
			"url_template", "https://go.dev/{code}").OK()
		owner.Do("PATCH /users/"+fmt.Sprint(s.UserID("bob")), "role", "300", "full_name", "Robert").OK()
		s.As("alice").Do("PATCH /realm", "description", "x").
			Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
		s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", "wrong").
			Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
		want := []string{
			`realm.setting_changed ok user realm {"description":""} {"description":"Gardeners"} 127.0.0.1 PATCH /realm`,
			`playground.added ok user playground null {"name":"Go","pygments_language":"Go",` +
				`"url_template":"https://go.dev/{code}"} 127.0.0.1 POST /realm/playgrounds`,
			`user.renamed ok user user {"full_name":"Bob"} {"full_name":"Robert"} 127.0.0.1 PATCH /users/:user_id`,
			`user.role_changed ok user user {"role":400} {"role":300} 127.0.0.1 PATCH /users/:user_id`,
			`login.failed refused user user null null 127.0.0.1 POST /fetch_api_key`,
		}
		if n := verified(t, s); n != before+int64(len(want)) {
			t.Errorf("%d entries after %d", n, before)
		}
		if got := list(t, s, before); !slices.Equal(got, want) {
			t.Errorf("got:\n%s", strings.Join(got, "\n"))
		}
	})
}

// Verify names the entry at which the log was changed.
func TestVerifyFindsChanges(t *testing.T) {
	for statement, want := range map[string]string{
		"UPDATE audit SET new_values = '{}' WHERE seq = 3":               "entry 3 was changed",
		"UPDATE audit SET actor_id = actor_id + 1 WHERE seq = 2":         "entry 2 was changed",
		"DELETE FROM audit WHERE seq = 2":                                "entry 2 is missing",
		"DELETE FROM audit WHERE seq >= 4":                               "entry 4 and all after it are missing",
		"UPDATE audit_heads SET hash = 'x'":                              "the head does not fit entry",
		"UPDATE audit_personal SET content = '{}' WHERE part = 'values'": "the values of entry",
		"UPDATE audit_personal SET salt = 'x' WHERE part = 'values'":     "were changed",
		"DELETE FROM audit_personal WHERE part = 'values'":               "",
	} {
		var db *bunstore.DB
		s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, audit.Module, database(&db))
		s.As("olga").Do("PATCH /realm", "description", "Gardeners").OK()
		verified(t, s)
		s.Do(func(ctx context.Context) error {
			_, err := db.From(ctx).ExecContext(ctx, statement)
			return err
		})
		v, err := verify(t, s)
		switch {
		case want == "" && (err != nil || v.Erased == 0):
			t.Errorf("%s: %+v, %v", statement, v, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", statement, err, want)
		}
	}
}

// A sink gets each entry, also those that waited while it did not respond.
func TestSinks(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		path := filepath.Join(t.TempDir(), "missing", "audit.jsonl")
		s := kittest.StartWith(t, kittest.Options{
			DatabaseURL: url, Config: "modules: {audit: {file: {path: " + path + "}}}",
		}, realm.Module, accounts.Module, groups.Module, audit.Module)
		c := s.Ports.Collected
		job := func() error {
			for _, m := range c.Modules {
				for _, j := range m.Parts.Jobs {
					if m.Module == "audit" && j.Name == "send to file" {
						return j.Run(t.Context())
					}
				}
			}
			return errors.New("no job")
		}
		if err := job(); err == nil {
			t.Fatal("no error although the folder is missing")
		}
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		n := verified(t, s)
		for range 2 { // the second time, nothing is left
			if err := job(); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(path)
		if got := int64(strings.Count(string(text), "\n")); err != nil || got != n {
			t.Errorf("%d lines, want %d; %v", got, n, err)
		}
	})
}
