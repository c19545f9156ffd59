package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/internal/load"
	"github.com/stoachat/stoa/modules/standard"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	rc, people := filepath.Join(dir, "rc"), filepath.Join(dir, "people")
	text := "[api]\nemail=" + made.Email + "\nkey=" + made.Key + "\nsite=" + s.url + "\n"
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(scenario string, flags ...string) load.Report {
		t.Helper()
		args := []string{"load", scenario, rc, "--users", "3", "--channels", "2", "--messages", "20", "--rate", "100",
			"--people", people, "--json"}
		r := stoa(t, "", append(args, flags...)...).ok(t)
		var p load.Report
		if err := json.Unmarshal([]byte(r.out), &p); err != nil {
			t.Fatal(err)
		}
		if p.Sent != 20 || p.Missing != 0 || len(p.Errors) > 0 {
			t.Errorf("%s: %+v", scenario, p)
		}
		return p
	}
	for scenario, want := range map[string]map[string]int{
		"send": {"send": 20, "deliver": 60},
		"mix": {"send": 20, "deliver": 60, "switch": 130, "scroll": 40, "unread": 20, "open DM": 20, "draft": 10,
			"react": 2},
		"storm":   {"send": 20, "deliver": 60, "return": 3},
		"morning": {"send": 20, "deliver": 60, "register": 3},
	} {
		got := map[string]int{}
		for _, m := range run(scenario).Operations {
			got[m.Name] = m.Count
			if m.P50 > m.P99 || m.P99 > m.Max || m.Max <= 0 {
				t.Errorf("%s: %+v", scenario, m)
			}
		}
		for name, n := range want {
			if got[name] != n {
				t.Errorf("%s: %d times %s, want %d", scenario, got[name], name, n)
			}
		}
	}
	var known []struct{ Email string }
	saved, err := os.ReadFile(people)
	if err != nil || json.Unmarshal(saved, &known) != nil || len(known) != 3 {
		t.Errorf("people are not kept for the next run: %v, %s", err, saved)
	}
	if i, err := os.Stat(people); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("others can read the keys: %v", i)
	}
	stoa(t, "", "load", "send", rc, "--users", "0").fails(t, 2, "--users")
	stoa(t, "", "load", "mixed", rc).fails(t, 2, "send")
	stoa(t, "", "load", "send", people).fails(t, 1, "email=, key= and site=")
	stoa(t, "", "load", "send", rc, "--metrics", s.url+"/metrics", "--users", "1").fails(t, 1, "read metrics: 404")
	help := stoa(t, "", "--help").ok(t).out
	if slices.ContainsFunc(strings.Split(help, "\n"), func(l string) bool { return strings.HasPrefix(l, "  load") }) {
		t.Error("load is no command for operators")
	}
}
