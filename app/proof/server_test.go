package proof_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(referenceServer); addr != "" {
		runReference(addr)
		return
	}
	if site := os.Getenv(senderProcess); site != "" {
		runSender(site)
		return
	}
	if where := os.Getenv(sinkServer); where != "" {
		runSink(where)
		return
	}
	code := m.Run()
	if alone() {
		printFaults()
	}
	if stoa.dir != "" {
		_ = os.RemoveAll(stoa.dir)
	}
	os.Exit(code)
}

// stoa is the program's binary. The first test that needs it builds it.
var stoa struct {
	once sync.Once
	dir  string
	err  error
}

func binary(t testing.TB) string {
	t.Helper()
	stoa.once.Do(func() {
		//nolint:usetesting // it outlives the test
		if stoa.dir, stoa.err = os.MkdirTemp("", "stoa-proof"); stoa.err != nil {
			return
		}
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(stoa.dir, "stoa"), "../cmd/stoa")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in make build
		build.Stderr = os.Stderr
		stoa.err = build.Run()
	})
	if stoa.err != nil {
		t.Fatal(stoa.err)
	}
	return filepath.Join(stoa.dir, "stoa")
}

// server is a process of the program, with its own data directory or database, which outlive the process.
type server struct {
	t         testing.TB
	env       []string
	url       string
	mail, key string
	mu        sync.Mutex
	cmd       *exec.Cmd
	log       *kittest.Lines
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := emptyServer(t)
	out := s.run("init", "--realm", "Proof", "--owner-email", "owner@example.com", "--owner-name", "Owner",
		"--owner-password", "correct-horse-battery", "--json")
	var owner struct {
		Email  string `json:"email"`
		APIKey string `json:"api_key"`
	}
	if err := json.Unmarshal(out, &owner); err != nil || owner.APIKey == "" {
		t.Fatalf("init printed %s", out)
	}
	s.mail, s.key = owner.Email, owner.APIKey
	return s
}

// emptyServer returns a server whose database is empty.
func emptyServer(t testing.TB) *server {
	t.Helper()
	testrun.Unraced(t, "the server is a process of its own")
	addr := freeAddr(t)
	s := &server{t: t, url: "http://" + addr,
		env: append(os.Environ(), "STOA_DATA_DIR="+t.TempDir(), "STOA_HTTP_ADDR="+addr, "STOA_HTTP_RATE_LIMITS_ENABLED=false",
			"STOA_MODULES_EVENTS_MAX_QUEUES=100000")}
	if postgres() {
		s.env = append(s.env, "STOA_DATABASE_URL="+database(t))
	}
	t.Cleanup(s.kill)
	return s
}

// freeAddr returns an unused address.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func postgres() bool { return os.Getenv("STOA_TEST_DATABASE") == "postgres" }

// alone reports whether the tests have the machine and the database server to themselves, as in make cluster.
func alone() bool { return os.Getenv("STOA_TEST_ALONE") != "" }

// database creates a PostgreSQL database for the test and returns its URL.
func database(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil || u.Host == "" {
		t.Fatal("STOA_TEST_POSTGRES_URL must name a server that allows creating databases")
	}
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("stoa_proof_%d", time.Now().UnixNano())
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		_ = db.Close()
	})
	u.Path = "/" + name
	return u.String()
}

func (s *server) run(args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command(binary(s.t), args...)
	cmd.Env = s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("stoa %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return out
}

// start starts the server and waits until it responds.
func (s *server) start() {
	s.t.Helper()
	s.mu.Lock()
	s.log = &kittest.Lines{}
	s.cmd = exec.Command(binary(s.t), "serve")
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, s.log, s.log
	err := s.cmd.Start()
	s.mu.Unlock()
	if err != nil {
		s.t.Fatal(err)
	}
	testrun.Await(s.t, "start of the server", func() bool {
		res, err := http.Get(s.url + "/api/v1/server_settings")
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, s.log)
}

// kill kills the process without giving it a chance to clean up.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

var client = &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// call sends a request as the owner. An error means that there was no response.
func (s *server) call(method, path string, params url.Values) (map[string]any, error) {
	u, body := s.url+"/api/v1"+path, ""
	if method == http.MethodGet {
		u += "?" + params.Encode()
	} else {
		body = params.Encode()
	}
	req, err := http.NewRequestWithContext(context.Background(), method, u, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(s.mail, s.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := map[string]any{}
	d := json.NewDecoder(res.Body)
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	if res.StatusCode >= 500 {
		return nil, fmt.Errorf("%d: %v", res.StatusCode, out)
	}
	return out, nil
}

func (s *server) must(method, path string, params url.Values) map[string]any {
	s.t.Helper()
	out, err := s.call(method, path, params)
	if err != nil || out["result"] != "success" {
		s.t.Fatalf("%s %s: %v %v", method, path, out, err)
	}
	return out
}
