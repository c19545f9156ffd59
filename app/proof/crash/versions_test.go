package crash_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// versionVariable names the version as which the test's binary runs the program.
const versionVariable = "STOA_TEST_VERSION"

// Two successive versions of the program. The later one replaces a column of the module "counted".
const (
	earlier = "v1.0.0"
	later   = "v1.1.0"
)

// runVersion runs the program as the given version, with the module counted, which writes a row about each message.
func runVersion(v string) {
	column, files := "old", fstest.MapFS{
		"migrations/001_counted.sql": text(`-- expand: adds a table; locks none in use.
			CREATE TABLE counted (message_id {int} PRIMARY KEY, realm_id {int} NOT NULL, old {int})`),
	}
	if v == later {
		column = "new"
		files["migrations/002_new.sql"] = text("-- expand: adds a column; locks counted for a moment.\n" +
			"ALTER TABLE counted ADD COLUMN new {int}")
		files["migrations/003_old.sql"] = text("-- contract of 002_new: drops a column; locks counted for a moment.\n" +
			"ALTER TABLE counted DROP COLUMN old")
	}
	app.Version = v
	app.Main(append(standard.Modules(), kit.Define("counted", "Counts messages.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		DB *bunstore.DB
	}) (kit.Parts, error) {
		return kit.Parts{
			Migrations: files,
			Tables:     []kit.Table{kit.NotExported[counted]("Only for a test.")},
			Hooks: []kit.Hook{kit.On(func(ctx context.Context, e *message.Sent) error {
				for _, m := range e.Messages {
					_, err := n.DB.From(ctx).NewRaw("INSERT INTO counted (message_id, realm_id, ?) VALUES (?, ?, 1)",
						bun.Ident(column), m.ID, e.Realm).Exec(ctx)
					if err != nil {
						return err
					}
				}
				return nil
			})},
		}, nil
	}))...)
}

type counted struct {
	bun.BaseModel `bun:"table:counted"`
	MessageID     message.ID `bun:",pk"`
	RealmID       int64
}

func text(sql string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(sql)} }

// as makes the server run a version.
func as(t *testing.T, s *harness.Server, version string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if s.Variable("STOA_CONFIG") == "" {
		config := filepath.Join(t.TempDir(), "stoa.yaml")
		if err := os.WriteFile(config, []byte("modules: {standard: {}, counted: {}}"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Env = append(s.Env, "STOA_CONFIG="+config)
	}
	s.Program, s.Env = program, append(s.Env, fmt.Sprint(versionVariable, "=", version))
}
