package harness

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// stoa is the program's binary. The first test that needs it builds it.
var stoa struct {
	once sync.Once
	dir  string
	err  error
}

// Binary returns the file name of the program.
func Binary(t testing.TB) string {
	t.Helper()
	stoa.once.Do(func() {
		//nolint:usetesting // it outlives the test
		if stoa.dir, stoa.err = os.MkdirTemp("", "stoa-proof"); stoa.err != nil {
			return
		}
		build := exec.CommandContext(context.Background(), //nolint:gosec // constant except for the folder
			"go", "build", "-ldflags", "-s -w", "-o", filepath.Join(stoa.dir, "stoa"), "github.com/stoachat/stoa/app/cmd/stoa")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in make build
		build.Stderr = os.Stderr
		stoa.err = build.Run()
	})
	if stoa.err != nil {
		t.Fatal(stoa.err)
	}
	return filepath.Join(stoa.dir, "stoa")
}

// Main runs a package's tests, for TestMain, and then removes the program.
func Main(m *testing.M) (code int) {
	defer func() {
		if stoa.dir != "" {
			_ = os.RemoveAll(stoa.dir)
		}
	}()
	return m.Run()
}

// password is what commands read from standard input.
const password = "correct-horse-battery"

// Run runs a command of the program to its end and returns its output. With --password-stdin, it reads password.
func (s *Server) Run(args ...string) []byte {
	s.T.Helper()
	out, stderr, err := s.Try(args...)
	if err != nil {
		s.T.Fatalf("stoa %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr)
	}
	return out
}

// Try is Run for a command that may fail.
func (s *Server) Try(args ...string) (out []byte, stderr string, err error) {
	s.T.Helper()
	cmd := exec.CommandContext(context.Background(), s.program(), args...) //nolint:gosec // of a test
	cmd.Env, cmd.Stdin = s.Env, strings.NewReader(password)
	var lines bytes.Buffer
	cmd.Stderr = &lines
	out, err = cmd.Output()
	return out, lines.String(), err
}

func (s *Server) program() string {
	if s.Program != "" {
		return s.Program
	}
	return Binary(s.T)
}

// Launch starts the server without waiting until it responds.
func (s *Server) Launch() {
	s.T.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Log = &kittest.Lines{}
	s.Cmd = exec.CommandContext(context.Background(), s.program(), "serve") //nolint:gosec // built above
	s.Cmd.Env, s.Cmd.Stdout, s.Cmd.Stderr = s.Env, s.Log, s.Log
	if err := s.Cmd.Start(); err != nil {
		s.T.Fatal(err)
	}
}

// Start starts the server and waits until it responds.
func (s *Server) Start() {
	s.T.Helper()
	s.Launch()
	req, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, s.URL+"/api/v1/server_settings", http.NoBody)
	if err != nil {
		s.T.Fatal(err)
	}
	testrun.Await(s.T, "start of the server", func() bool {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, s.Log)
}

// Signal sends a signal to the process.
func (s *Server) Signal(sig os.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Cmd.Process.Signal(sig)
}

// Kill kills the process without giving it a chance to clean up.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Cmd != nil && s.Cmd.Process != nil {
		_ = s.Cmd.Process.Kill()
		_ = s.Cmd.Wait()
		s.Cmd = nil
	}
}
