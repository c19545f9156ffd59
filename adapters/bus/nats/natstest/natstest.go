// Package natstest runs NATS servers for tests.
package natstest

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a NATS server in this process. It stays at its address when it restarts.
type Server struct {
	URL string

	t       testing.TB
	options server.Options
	running *server.Server
}

// Start starts a server at an address at which nothing listens, and stops it after the test.
func Start(t testing.TB, addr string, o server.Options) *Server {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		o.Port, err = strconv.Atoi(port)
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.NoLog, o.NoSigs = host, true, true
	s := &Server{URL: "nats://" + addr, t: t, options: o}
	s.Restart()
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server, and with it all connections.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.Shutdown()
		s.running.WaitForShutdown()
		s.running = nil
	}
}

// Restart starts the server again. Call it after Stop.
func (s *Server) Restart() {
	s.t.Helper()
	o := s.options
	running, err := server.NewServer(&o)
	if err != nil {
		s.t.Fatal(err)
	}
	running.Start()
	if !running.ReadyForConnections(time.Minute) {
		s.t.Fatal("the NATS server does not accept connections")
	}
	s.running = running
}
