package standard_test

import (
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

var update = flag.Bool("update", false, "write app/kittest/providers.txt")

// TestTogether checks that all modules work together.
func TestTogether(t *testing.T) {
	all := standard.Modules()
	last := len(all) - 1
	kittest.Check(t, all[last], all[:last]...)
}

// TestProviders compares the list of ports in kittest with the modules that provide them: the first adapter, if several
// do. With -update, it writes the list.
func TestProviders(t *testing.T) {
	folders := map[string]string{}
	for _, m := range standard.Modules() {
		folder := strings.TrimPrefix(reflect.TypeOf(m.Defaults).PkgPath(), "github.com/stoachat/stoa/")
		for _, port := range m.Provides {
			if folders[port.String()] == "" {
				folders[port.String()] = folder
			}
		}
	}
	var want strings.Builder
	for _, port := range slices.Sorted(maps.Keys(folders)) {
		want.WriteString(port + " " + folders[port] + "\n")
	}
	const file = "../../app/kittest/providers.txt"
	if *update {
		if err := os.WriteFile(file, []byte(want.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want.String() {
		t.Errorf("app/kittest/providers.txt is outdated (%v): run make generate", err)
	}
}

// TestSlots checks that README.md in modules names each slot with its port, its adapters, and the test of its contract.
func TestSlots(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // by slot
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 6 {
			rows[strings.Trim(cells[1], " `")] = line
		}
	}
	for _, m := range standard.Modules() {
		if m.Slot == "" {
			continue
		}
		row := rows[m.Slot]
		if !strings.Contains(row, "`"+m.Provides[0].String()+"`") || !strings.Contains(row, m.Name) ||
			!strings.Contains(row, "test.") {
			t.Errorf("modules/README.md says of the slot %s, adapter %s, port %v: %q", m.Slot, m.Name, m.Provides[0], row)
		}
	}
}
