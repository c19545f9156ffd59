package proof_test

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
)

// TestStopsInOrder checks that SIGHUP does not stop the server, and that SIGTERM stops it in order: it first reports
// that it is not ready, still accepts requests for http.stop_delay, and does not wait for incomplete requests.
func TestStopsInOrder(t *testing.T) {
	s := newServer(t)
	s.env = append(s.env, "STOA_HTTP_STOP_DELAY=5s")
	s.env = append(s.env, "STOA_HTTP_STOP_DELAY=2s")
	s.start()
	s.must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	half, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	fmt.Fprint(half, "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ntype=")

	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil { // reloads the configuration
		t.Fatal(err)
	}
	s.send("after a reload")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	process := s.cmd.Process
	defer time.AfterFunc(testrun.Patience, func() { _ = process.Kill() }).Stop() // then Wait returns an error
	testrun.Await(t, "status 503 of /health", func() bool {
		res, err := http.Get(s.url + "/health")
		if err != nil {
			t.Fatalf("not served during the delay: %v", err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return res.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "stopping")
	})
	s.send("while it stops")
	if err := s.cmd.Wait(); err != nil { // also if the half request held it up until its limit
		t.Errorf("stopped with %v:\n%s", err, s.log)
	}
	s.cmd = nil
	if strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("logged\n%s", s.log)
	}
}
