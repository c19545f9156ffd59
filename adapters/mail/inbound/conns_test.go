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

	"github.com/stoachat/stoa/app/kittest/testrun"
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
	accepted := func(from string) (one net.Conn) {
		t.Helper()
		testrun.Await(t, "connection from "+from, func() bool { // the server may count those that have just been closed
			var line string
			one, line = greeting(t, from, c.Addr)
			if strings.HasPrefix(line, "220 ") {
				return true
			}
			_ = one.Close()
			return false
		})
		return one
	}
	refused := func(from string) {
		t.Helper()
		if _, line := greeting(t, from, c.Addr); !strings.HasPrefix(line, "421 ") {
			t.Fatalf("from %s: %s", from, line)
		}
	}
	accepted("127.0.0.3")
	first := accepted("127.0.0.3")
	refused("127.0.0.3") // the limit per address
	accepted("127.0.0.4")
	_ = first.Close()
	accepted("127.0.0.3")
	accepted("127.0.0.5")
	refused("127.0.0.6") // the limit of all
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
