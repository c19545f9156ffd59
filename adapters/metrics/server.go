package metrics

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Time limits of the listener, and how many scrapes run at once.
const (
	readWithin  = 10 * time.Second
	writeWithin = time.Minute
	idleFor     = 2 * time.Minute
	atOnce      = 4
)

// Server serves /metrics.
type Server struct {
	cfg  Config
	page http.Handler
	http *http.Server
	addr string
	done chan struct{}
}

// NewServer returns a server of a library's values that does not listen yet.
func NewServer(cfg Config, l *Library) *Server {
	page := promhttp.HandlerFor(l.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, MaxRequestsInFlight: atOnce, ErrorHandling: promhttp.ContinueOnError,
	})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", guarded(string(cfg.Token), page))
	return &Server{cfg: cfg, page: page, done: make(chan struct{}), http: &http.Server{
		Handler: mux, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleFor,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(io.Discard, "", 0), // about broken connections
	}}
}

// Page returns the handler of /metrics, which does not ask for the token.
func (s *Server) Page() http.Handler { return s.page }

// guarded serves only those who send the token, if there is one.
func guarded(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(given)) // so that the time does not depend on the length either
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send metrics.token as Authorization: Bearer.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Start listens and serves. Errors: one line that begins with the key metrics.addr.
func (s *Server) Start(ctx context.Context) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", s.cfg.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("metrics.addr: %s is in use by another program; stop it, or choose another address with "+
			"STOA_METRICS_ADDR", s.cfg.Addr)
	case err != nil:
		return fmt.Errorf("metrics.addr: can't listen on %s: %w; choose another address with STOA_METRICS_ADDR",
			s.cfg.Addr, err)
	}
	s.addr = ln.Addr().String()
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln) // returns when it is closed
	}()
	return nil
}

// Addr returns the host:port that the server listens on.
func (s *Server) Addr() string { return s.addr }

// Stop closes the listener when the last scrape has ended, or ctx.
func (s *Server) Stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return err
}
