package cli_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// A program with few of the standard modules, and with one of its own, needs no configuration file: these run.
func TestProgramWithoutConfiguration(t *testing.T) {
	names := []string{"realm", "accounts", "messages", "mutes", "events", "demo"}
	modules := []kit.Module{kit.Define("own", "Of another repository.", kit.None{},
		func(kit.None, struct{ fx.In }) (kit.Parts, error) { return kit.Parts{}, nil })}
	for _, m := range standard.Modules() {
		if slices.Contains(names, m.Name) && m.Slot == "" || m.Name == "katex" {
			modules = append(modules, m)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs kittest.Lines
		code := cli.Run(t.Context(), cli.Call{
			Args: append(args, "--data-dir", t.TempDir()), In: strings.NewReader(""), Out: &out, Err: &errs,
			Modules: modules, Version: testVersion, Notify: func(chan<- os.Signal) {},
		})
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
		}
		return out.String()
	}
	run("config", "check")
	printed := run("config", "print")
	for name, want := range map[string]bool{
		"realm": true, "messages": true, "events": true, "own": true, "demo": false, "drafts": false, "sessions": false,
	} {
		if strings.Contains(printed, "\n    "+name+":") != want {
			t.Errorf("%s: want %v in\n%s", name, want, printed)
		}
	}
}
