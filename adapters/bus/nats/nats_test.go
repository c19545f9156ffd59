package nats_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"

	"github.com/stoachat/stoa/adapters/bus/bustest"
	"github.com/stoachat/stoa/adapters/bus/nats"
	"github.com/stoachat/stoa/adapters/bus/nats/natstest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

func config(urls ...string) nats.Config {
	c := nats.Defaults()
	c.URLs = urls
	return c
}

func TestContract(t *testing.T) {
	s := natstest.Start(t, testrun.FreeAddr(t), server.Options{})
	bustest.Contract(t, nats.New(config(s.URL)), nats.New(config(s.URL)), func() {
		s.Stop()
		s.Restart()
	})
}

// Clusters with other subjects do not hear each other. Without a server, the error says what to do.
func TestBus(t *testing.T) {
	s := natstest.Start(t, testrun.FreeAddr(t), server.Options{})
	elsewhere := config(s.URL)
	elsewhere.Subject = "stoa.test"
	a, b := nats.New(config(s.URL)), nats.New(elsewhere)
	la, lb := bustest.Listen(t, a), bustest.Listen(t, b)
	for text, to := range map[string]*nats.Bus{"1:2": a, "9:9": b} {
		if err := to.Tell(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	la.Hears("1:2")
	lb.Hears("9:9")

	s.Stop()
	la.Ends()
	for _, err := range []error{a.Tell(t.Context(), "1:3"), a.Health(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "start it, or correct adapters.bus.urls") {
			t.Error(err)
		}
	}
	s.Restart()
	if err := a.Health(t.Context()); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Tell(t.Context(), "1:5"); !errors.Is(err, client.ErrConnectionClosed) {
		t.Errorf("told after the end: %v", err)
	}
}

// A listener that is too slow learns that it has missed something.
func TestSlowListener(t *testing.T) {
	s := natstest.Start(t, testrun.FreeAddr(t), server.Options{})
	b := nats.New(config(s.URL))
	t.Cleanup(func() { _ = b.Close() })
	ready, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- b.Listen(t.Context(), func() { close(ready) }, func(string) { <-proceed })
	}()
	<-ready
	conn, err := client.Connect(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 1200 { // 9 MB
		if err := conn.Publish("stoa", make([]byte, 7900)); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	testrun.Await(t, "messages to be lost", func() bool {
		select {
		case proceed <- struct{}{}:
		default:
		}
		select {
		case err := <-ended:
			if !errors.Is(err, client.ErrSlowConsumer) {
				t.Fatal(err)
			}
			return true
		default:
			return false
		}
	})
}

func TestLogin(t *testing.T) {
	s := natstest.Start(t, testrun.FreeAddr(t), server.Options{Users: []*server.User{
		{Username: "stoa", Password: "plum-tree-harbor"},
		{Username: "deaf", Password: "plum-tree-harbor", Permissions: &server.Permissions{
			Subscribe: &server.SubjectPermission{Deny: []string{">"}},
		}},
	}})
	for _, c := range []struct{ user, password, problem string }{
		{"stoa", "plum-tree-harbor", ""},
		{"stoa", "wrong", "STOA_ADAPTERS_BUS_PASSWORD"},
		{"", "", "STOA_ADAPTERS_BUS_PASSWORD"},
	} {
		cfg := config(s.URL)
		cfg.User, cfg.Password = c.user, "wrong"
		if c.problem == "" {
			cfg.Password = "plum-tree-harbor"
		}
		b := nats.New(cfg)
		err := b.Health(t.Context())
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v, want %q", c.user, err, c.problem)
		}
		_ = b.Close()
	}
	cfg := config(s.URL)
	cfg.User, cfg.Password = "deaf", "plum-tree-harbor"
	b := nats.New(cfg)
	err := b.Listen(t.Context(), func() { t.Error("ready without the permission to subscribe") }, func(string) {})
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for problem, change := range map[string]func(*nats.Config){
		"":                                      func(*nats.Config) {},
		"urls: want addresses":                  func(c *nats.Config) { c.URLs = nil },
		`urls: "http://nats" is not an address`: func(c *nats.Config) { c.URLs = []string{"http://nats"} },
		"urls: put the login":                   func(c *nats.Config) { c.URLs = []string{"tls://a:b@nats.internal"} },
		"user: a password must not be sent": func(c *nats.Config) {
			c.URLs, c.User = []string{"nats://nats.internal"}, "stoa"
		},
		"subject: want words":               func(c *nats.Config) { c.Subject = "stoa.>" },
		"cert_file: cert_file and key_file": func(c *nats.Config) { c.CertFile = "node.pem" },
	} {
		c := config("tls://nats.internal:4222")
		change(&c)
		if err := c.Validate(); problem == "" && err != nil || problem != "" &&
			(err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%v, want %q", err, problem)
		}
	}
}
