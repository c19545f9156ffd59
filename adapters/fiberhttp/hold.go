package fiberhttp

import (
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Hold serves a handler on the listening socket until the returned function is called. It serves clients between Listen
// and Start.
func (s *Server) Hold(h http.Handler) (release func()) {
	held := heldListener{s.ln}
	server := &http.Server{
		Handler: h, ReadTimeout: s.cfg.ReadTimeout, WriteTimeout: s.cfg.WriteTimeout, IdleTimeout: s.cfg.IdleTimeout,
		MaxHeaderBytes: s.cfg.ReadBuffer, ErrorLog: log.New(io.Discard, "", 0), // about broken connections
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(held) // returns when it is closed
	}()
	return func() {
		_ = server.Close() // ends the connections; there is nothing else to close
		<-done
		held.setDeadline(time.Time{})
	}
}

// heldListener is a listener that Close interrupts instead of closing it.
type heldListener struct{ net.Listener }

// Close implements net.Listener.
func (l heldListener) Close() error {
	l.setDeadline(time.Unix(1, 0))
	return nil
}

func (l heldListener) setDeadline(at time.Time) {
	if d, ok := l.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		_ = d.SetDeadline(at) // fails only if the listener is closed
	}
}

// Close closes the listening socket. After Stop it does nothing.
func (s *Server) Close() error {
	if s.ln != nil {
		_ = s.ln.Close() // may be closed already
	}
	return nil
}
