package inbound

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

// greeting connects from a local address and returns the connection and its first line.
func greeting(t *testing.T, from, to string) (net.Conn, string) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	c, err := d.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return c, line
}

// TestIdleConnections checks that idle connections from one address leave room for others, and count until they end.
func TestIdleConnections(t *testing.T) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := Defaults()
	c.Addr, c.MaxConns = probe.Addr().String(), 4
	_ = probe.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- New(c, "", slog.New(slog.NewTextHandler(io.Discard, nil))).Serve(ctx, nil) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for {
		one, err := net.Dial("tcp", c.Addr)
		if err == nil {
			_ = one.Close()
			break
		}
	}
	is := func(from, code string) net.Conn {
		t.Helper()
		one, line := greeting(t, from, c.Addr)
		if !strings.HasPrefix(line, code+" ") {
			t.Fatalf("from %s: %s", from, line)
		}
		return one
	}
	is("127.0.0.3", "220")
	first := is("127.0.0.3", "220")
	is("127.0.0.3", "421") // the limit per address
	is("127.0.0.4", "220")
	_ = first.Close()
	for { // until the server has noticed
		one, line := greeting(t, "127.0.0.3", c.Addr)
		if strings.HasPrefix(line, "220 ") {
			break
		}
		_ = one.Close()
	}
	is("127.0.0.5", "220")
	is("127.0.0.6", "421") // the limit of all
}

// recorder records the read deadline.
type recorder struct {
	net.Conn

	text     io.Reader
	deadline time.Time
}

func (r *recorder) Read(b []byte) (int, error) { return r.text.Read(b) }

func (r *recorder) SetReadDeadline(t time.Time) error {
	r.deadline = t
	return nil
}

// TestFirstCommand checks that parts of a first command do not extend its time, and that later commands have more.
func TestFirstCommand(t *testing.T) {
	now := time.Now()
	later := now.Add(2 * time.Minute)
	r := &recorder{text: strings.NewReader("EHLO example\r\n")}
	c := &conn{Conn: r, timeout: 2 * time.Minute}
	b := make([]byte, 6)
	for _, step := range []struct {
		set, want time.Time
	}{
		{later, now.Add(firstCommand)}, {time.Time{}, now.Add(firstCommand)}, {now, now}, {later, later},
	} {
		_ = c.SetReadDeadline(step.set)
		if !r.deadline.Equal(step.want) {
			t.Errorf("set to %v, got %v, want %v", step.set, r.deadline, step.want)
		}
		_, _ = c.Read(b)
	}
}

func TestNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:25": "192.0.2.7", "[::ffff:192.0.2.7]:25": "192.0.2.7", "[2001:db8::1:2]:25": "2001:db8::",
	} {
		a, err := net.ResolveTCPAddr("tcp", from)
		if err != nil {
			t.Fatal(err)
		}
		if got := network(a).String(); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}
