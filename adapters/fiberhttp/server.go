package fiberhttp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Deps holds the server's dependencies.
type Deps struct {
	Collected     *kit.Collected // complete
	Directory     ports.Directory
	Realms        ports.Realms
	Authenticator ports.Authenticator
	Sessions      ports.Sessions   // nil: no routes under /json
	Spectators    ports.Spectators // nil: no spectator access
	// converts database errors to errors that clients may see; nil: they become internal errors
	ClientError func(error) error
	Maintenance func() string // why the server only reads; "", or nil: it does not
	Down        func() bool   // whether the database is known, and logged, to be down; nil: never
	Clock       ports.Clock
	Log         *slog.Logger
	Access      *slog.Logger   // gets a line for each request; nil: off
	Metrics     *ports.Metrics // nil: off
	Traces      *ports.Traces  // nil: off
}

// idleWorker is how long fasthttp keeps the goroutine of a parked or closed connection for reuse. Its stack uses more
// memory than a parked poll.
const idleWorker = time.Second

// Server is the HTTP server. It can be started once.
type Server struct {
	Deps
	cfg       Config
	app       *fiber.App
	routes    []*route
	proxies   []netip.Prefix
	limiting  atomic.Pointer[limiter]
	unsent    unsent
	reading   *kit.Semaphore[reader]
	uploading *kit.Semaphore[reader]
	segments  *segments
	polls     *polls
	conns     *openConns
	watchdog  watchdog
	observers *observers
	turned    atomic.Int64 // when the loop of watchRuns turned last, in nanoseconds of elapsed; 0: never
	m         measures
	ln        net.Listener // set by Listen
	addr      string       // the listening address

	untrustedMu sync.Mutex
	untrusted   map[netip.Addr]struct{} // peers whose forwarded headers were ignored and logged

	prefix  string // prefix of request IDs
	counter atomic.Uint64

	base      context.Context // parent of all request contexts; canceled when the server stops
	cancel    context.CancelFunc
	serveDone chan struct{}
}

// New prepares the routes of d.Collected without opening anything. Its error lists all invalid routes with reasons.
func New(cfg Config, d Deps) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	routes, err := newRoutes(d.Collected, cfg)
	if err != nil {
		return nil, err
	}
	proxies, err := cfg.proxies()
	if err != nil {
		return nil, err
	}
	prefix := make([]byte, 4)
	if _, err := rand.Read(prefix); err != nil {
		return nil, err
	}
	cfg.URL = strings.TrimRight(cfg.URL, "/")
	s := &Server{
		Deps: d, cfg: cfg, routes: routes, proxies: proxies, prefix: hex.EncodeToString(prefix),
		serveDone: make(chan struct{}), untrusted: map[netip.Addr]struct{}{},
		conns: &openConns{open: map[*conn]struct{}{}}, unsent: unsent{bytes: map[reader]int{}},
		watchdog: watchdog{limit: cfg.HandlerTimeout},
		reading:  kit.NewSemaphore[reader](maxReads), uploading: kit.NewSemaphore[reader](maxUploads),
		segments: newSegments(), observers: newObservers(d.Collected),
	}
	s.SetRateLimits(cfg.RateLimits)
	s.measure()
	s.app = s.newApp()
	return s, nil
}

func (s *Server) newApp() *fiber.App {
	app := fiber.New(fiber.Config{
		DisableStartupMessage:        true,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		ReduceMemoryUsage:            true,
		CaseSensitive:                true,
		// routes have their own limits, and fasthttp does not enforce this one when streaming
		BodyLimit:      math.MaxInt,
		ReadBufferSize: s.cfg.ReadBuffer,
		ReadTimeout:    s.cfg.ReadTimeout,
		WriteTimeout:   s.cfg.WriteTimeout,
		IdleTimeout:    s.cfg.IdleTimeout,
		ErrorHandler:   protocolError,
	})
	server := app.Server()
	server.CloseOnShutdown = true
	server.KeepHijackedConns = true // parked polls get their response after their handler has returned
	server.MaxIdleWorkerDuration = idleWorker
	server.Handler = framed(streaming(s.unknownMethods(server.Handler)))
	app.Use(s.wrap)
	for _, r := range s.routes {
		s.addRoute(app, r)
	}
	return app
}

// protocolError responds to data that fasthttp cannot parse as a request.
func protocolError(c *fiber.Ctx, err error) error {
	status, msg := fiber.StatusBadRequest, "The request can't be read."
	var e *fiber.Error
	if errors.As(err, &e) {
		status = e.Code
	}
	switch status {
	case fiber.StatusRequestTimeout:
		msg = "The request took too long to arrive."
	case fiber.StatusRequestHeaderFieldsTooLarge:
		msg = "The request headers are too large."
	case fiber.StatusNotFound:
		msg = notFound
	}
	plain(c.Response(), status, msg)
	return nil
}

// CheckAddr returns an error if an address is not available for listening. Errors: as for Listen.
func CheckAddr(ctx context.Context, addr string) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return listenError(addr, err)
	}
	return ln.Close()
}

// Listen opens the listening socket and returns its address. Connections are not accepted before Start.
func (s *Server) Listen(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return "", listenError(s.cfg.Addr, err)
	}
	s.ln, s.addr = ln, ln.Addr().String()
	return s.addr, nil
}

// Start serves connections until Stop.
func (s *Server) Start(ctx context.Context) error {
	var err error
	if s.polls, err = newPolls(s); err != nil {
		return err
	}
	s.base, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.turn()
	go s.watchRuns()
	if s.observers.queue != nil {
		go s.observeRequests()
	}
	first := &firstAccept{Listener: s.ln, started: make(chan struct{}), conns: s.conns}
	go func() {
		defer close(s.serveDone)
		if err := s.app.Listener(first); err != nil {
			s.Log.Error("http: serving ended", "error", err)
		}
	}()
	select {
	case <-first.started:
	case <-s.serveDone:
	}
	return nil
}

func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("http.addr: %s is in use by another program; stop it, or choose another address, "+
			"for example with STOA_HTTP_ADDR=127.0.0.1:9992", addr)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("http.addr: not allowed to listen on %s; use a port above 1023 with a reverse proxy in front", addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("http.addr: %s is not an address of this machine; use 127.0.0.1 or one of its addresses", addr)
	}
	return fmt.Errorf("http.addr: can't listen on %s: %w", addr, err)
}

// Stop responds to held polls immediately, lets complete requests finish, and closes all connections. Each further part
// of a request that is still arriving must arrive within lastRead. When ctx ends, remaining connections are closed.
func (s *Server) Stop(ctx context.Context) error {
	if s.polls == nil {
		if s.ln != nil {
			_ = s.ln.Close() // the server was not started
		}
		return nil
	}
	s.polls.stop()
	s.conns.limitReads()
	err := s.app.ShutdownWithContext(ctx) // parked polls are unknown to it
	if err == nil {
		err = s.polls.wait(ctx)
	}
	s.stopObserving(ctx)
	s.cancel()
	if err != nil {
		s.conns.closeAll()
		return fmt.Errorf("http: stopped before all responses were sent: %w", err)
	}
	<-s.serveDone
	s.polls.close()
	return nil
}
