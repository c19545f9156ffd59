// Package harness starts what the tests of app/proof use: the program as a process of its own, which a test can kill,
// and a server with all modules in the test's process.
package harness

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// Server is a process of the program, as a user sees it. Its data directory or database outlives the process.
type Server struct {
	T         testing.TB
	Env       []string
	URL       string
	Mail, Key string         // the user who makes the requests
	Log       *kittest.Lines // of the newest process
	Program   string         // the file name of the program; "": Binary

	mu  sync.Mutex
	Cmd *exec.Cmd // the newest process, or nil after Kill
}

// NewServer returns a server, not yet started, with an organization; the requests are its owner's.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := NewEmptyServer(t)
	out := s.Run("init", "--realm", "Proof", "--owner-email", "owner@example.com", "--owner-name", "Owner",
		"--password-stdin", "--json")
	var owner struct {
		Email  string `json:"email"`
		APIKey string `json:"api_key"`
	}
	if err := json.Unmarshal(out, &owner); err != nil || owner.APIKey == "" {
		t.Fatalf("init printed %s", out)
	}
	s.Mail, s.Key = owner.Email, owner.APIKey
	return s
}

// NewEmptyServer returns a server, not yet started, with an empty database.
func NewEmptyServer(t testing.TB) *Server {
	t.Helper()
	testrun.Unraced(t, "the server is a process of its own")
	s := &Server{T: t, Env: append(os.Environ(), "STOA_DATA_DIR="+t.TempDir(), "STOA_HTTP_RATE_LIMITS_ENABLED=false",
		"STOA_MODULES_EVENTS_MAX_QUEUES=100000")}
	if storetest.Postgres() {
		s.Env = append(s.Env, "STOA_DATABASE_URL="+storetest.PostgresURL(t))
	}
	s.move(t)
	return s
}

// Node returns another node of the server's cluster, not yet started, with the same settings at an address of its own.
func (s *Server) Node() *Server {
	n := &Server{T: s.T, Env: slices.Clone(s.Env), Program: s.Program}
	n.move(s.T)
	return n
}

// move gives the server an address of its own, and ends it after the test.
func (s *Server) move(t testing.TB) {
	addr := testrun.FreeAddr(t)
	s.URL = "http://" + addr
	s.Env = append(s.Env, "STOA_HTTP_ADDR="+addr)
	t.Cleanup(s.Kill)
}

// As returns the server as another user sees it.
func (s *Server) As(mail, key string) *Server {
	return &Server{T: s.T, Env: s.Env, URL: s.URL, Mail: mail, Key: key, Log: s.Log, Cmd: s.Cmd}
}

// Variable returns a variable in the server's environment.
func (s *Server) Variable(name string) string {
	for _, v := range slices.Backward(s.Env) { // the last one counts
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
