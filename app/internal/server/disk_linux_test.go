package server

import (
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
)

// The health check fails if the disk is nearly full. It ignores a missing folder.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		dir   string
		least uint64
		fails bool
	}{{dir, 1, false}, {dir, math.MaxUint64, true}, {dir + "/none", math.MaxUint64, false}} {
		if err := diskCheck(c.dir, c.least).Run(t.Context()); (err != nil) != c.fails {
			t.Errorf("%s with at least %d: %v", c.dir, c.least, err)
		}
	}
	o := options("modules:\n" + sound)
	o.Set["data_dir"], o.ManualJobs = dir, true
	s, err := New(t.Context(), o, catalog()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, err := http.Get("http://" + s.Addr() + "/health")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if !strings.Contains(string(body), `"server.disk":`) {
		t.Errorf("/health answers %s", body)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
