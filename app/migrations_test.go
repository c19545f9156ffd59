package app_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
)

var updateReleased = flag.Bool("update-released", false, "write modules/released.txt, when making a release")

// TestMigrationKinds checks that every migration states its kind, and that one which the previous version cannot bear
// comes a release after the one that replaces what it removes. modules/released.txt lists what the latest release
// contains; making a release writes it.
func TestMigrationKinds(t *testing.T) {
	const file = "../modules/released.txt"
	var names []string
	for _, m := range migrationFolders(t) {
		steps, err := bunstore.StepNames(m.FS)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			names = append(names, m.Module+"/"+s)
		}
	}
	if *updateReleased {
		if err := os.WriteFile(file, []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	released := strings.Fields(string(text))
	for _, m := range migrationFolders(t) {
		for _, problem := range bunstore.CheckKinds(m, func(name string) bool {
			return slices.Contains(released, m.Module+"/"+name)
		}) {
			t.Error(problem)
		}
	}
	for _, name := range released {
		if !slices.Contains(names, name) {
			t.Errorf("migration %s, which was released, is gone; if it was renamed, change modules/released.txt", name)
		}
	}
}

// migrationFolders returns the migrations in the source.
func migrationFolders(t *testing.T) []bunstore.Migrations {
	t.Helper()
	var all []bunstore.Migrations
	for _, pattern := range []string{"../modules/*/migrations", "internal/*/migrations"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			dir := filepath.Dir(f)
			all = append(all, bunstore.Migrations{Module: filepath.Base(dir), FS: os.DirFS(dir)})
		}
	}
	if len(all) < 30 { // the pattern is wrong
		t.Fatalf("found %d folders of migrations", len(all))
	}
	return all
}
