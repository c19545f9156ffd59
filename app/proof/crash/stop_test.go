package crash_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestStopsInOrder checks that SIGHUP does not stop the server, and that SIGTERM stops it in order: it first reports
// that it is not ready, still accepts requests for http.stop_delay, and does not wait for incomplete requests.
func TestStopsInOrder(t *testing.T) {
	harness.SQLiteSuffices(t, "the server stops alike")
	s := harness.NewServer(t)
	s.Env = append(s.Env, "STOA_HTTP_STOP_DELAY=2s")
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	half, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	fmt.Fprint(half, "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ntype=")

	if err := s.Signal(syscall.SIGHUP); err != nil { // reloads the configuration
		t.Fatal(err)
	}
	s.Send("after a reload")
	if err := s.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	process := s.Cmd.Process
	defer time.AfterFunc(testrun.Patience, func() { _ = process.Kill() }).Stop() // then Wait returns an error
	testrun.Await(t, "status 503 of /health", func() bool {
		res, err := http.Get(s.URL + "/health")
		if err != nil {
			t.Fatalf("not served during the delay: %v", err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return res.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "stopping")
	})
	for path, want := range map[string]int{"/health/ready": 503, "/health/live": 200} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s is %d while the server stops, want %d", path, res.StatusCode, want)
		}
	}
	s.Send("while it stops")
	if err := s.Cmd.Wait(); err != nil { // also if the half request held it up until its limit
		t.Errorf("stopped with %v:\n%s", err, s.Log)
	}
	s.Cmd = nil
	if strings.Contains(s.Log.String(), "level=ERROR") {
		t.Errorf("logged\n%s", s.Log)
	}
}
