package cli_test

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write modules/map.txt")

// TestModulesMap compares the map of the standard modules with the file for readers of the source.
func TestModulesMap(t *testing.T) {
	const file = "../../../modules/map.txt"
	got := stoa(t, "", "modules", "--map").ok(t).out
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("modules/map.txt is out of date (%v): run make generate", err)
	}
}
