package cli_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

func TestHealth(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, standard.Modules(), "--data-dir", dir)
	addr := strings.TrimPrefix(s.url, "http://")
	for _, args := range [][]string{{"health"}, {"health", "--ready"}} {
		got := stoa(t, "", append(args, "--http-addr", addr, "--data-dir", dir)...).ok(t)
		if got.out != "ok\n" {
			t.Errorf("%v: %q", args, got.out)
		}
	}
	s.stop(0)
	stoa(t, "", "health", "--http-addr", addr, "--data-dir", dir).fails(t, 1, "no server answers at "+addr)
}
