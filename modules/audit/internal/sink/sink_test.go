package sink_test

import (
	"bufio"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/audit/internal/sink"
)

func entries() []audit.Entry {
	who := user.ID(7)
	at := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	return []audit.Entry{
		{ID: 1, Time: at, Action: audit.UserRoleChanged, Outcome: "ok", ActorKind: "user", Actor: &who,
			TargetKind: audit.User, Target: "9", Before: []byte(`{"role":400}`), After: []byte(`{"role":200}`), IP: "192.0.2.1"},
		{ID: 2, Time: at, Action: audit.LoginFailed, Outcome: "refused", ActorKind: "user", TargetKind: audit.User,
			Before: []byte("null"), After: []byte("null")},
	}
}

// Each call appends to the file, whose content only its owner can read.
func TestFile(t *testing.T) {
	f := sink.File{Path: filepath.Join(t.TempDir(), "audit.log"), Format: "cef"}
	for range 2 {
		if err := f.Send(t.Context(), entries()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	want := `CEF:0|Stoa|Stoa|1|user.role_changed|user.role_changed|3|rt=1772600767000 externalId=1 outcome=ok ` +
		`src=192.0.2.1 suid=7 sproc=user duid=9 cs1Label=target cs1=user:9 cs2Label=before cs2={"role":400} cs3Label=after ` +
		`cs3={"role":200} cs4Label=hash`
	if len(lines) != 4 || lines[0] != want {
		t.Errorf("%d lines, the first\n%s\nwant\n%s", len(lines), lines[0], want)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

func TestHTTP(t *testing.T) {
	status, got := 204, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + "\n" + string(body)
		w.WriteHeader(status)
	}))
	defer s.Close()
	h := sink.HTTP{URL: s.URL, Token: "s3cret", Format: "jsonl"}
	if err := h.Send(t.Context(), entries()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "POST Bearer s3cret application/x-ndjson\n{\"id\":1,") || strings.Count(got, "\n") != 3 {
		t.Errorf("got %s", got)
	}
	for _, status = range []int{302, 400, 503} {
		if err := h.Send(t.Context(), entries()); err == nil {
			t.Errorf("status %d is accepted", status)
		}
	}
}

// A collector reads the number of bytes before each message, as RFC 5425 describes.
func TestSyslog(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", web.TLS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	received := make(chan []string, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if all := messages(c); len(all) > 0 {
				received <- all
			}
			_ = c.Close()
		}
	}()
	s := sink.Syslog{Addr: l.Addr().String(), CAFile: ca, Format: "jsonl"}
	if err := s.Send(t.Context(), entries()); err != nil {
		t.Fatal(err)
	}
	got := <-received
	if len(got) != 2 || !strings.HasPrefix(got[0], "<110>1 2026-03-04T05:06:07.000008Z ") ||
		!strings.Contains(got[0], ` stoa - user.role_changed - {"id":1,`) || !strings.HasPrefix(got[1], "<108>1 ") {
		t.Errorf("got %q", got)
	}
	if err := (sink.Syslog{Addr: s.Addr, Format: "jsonl"}).Send(t.Context(), entries()); err == nil {
		t.Error("an unknown authority is accepted")
	}
}

func messages(c net.Conn) []string {
	var all []string
	for r := bufio.NewReader(c); ; {
		var n int
		if _, err := fmt.Fscanf(r, "%d ", &n); err != nil {
			return all
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return all
		}
		all = append(all, string(text))
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		of   interface{ Problem() error }
		want string
	}{
		{sink.File{}, ""}, {sink.HTTP{}, ""}, {sink.Syslog{}, ""},
		{sink.File{Path: "/x", Format: "cef"}, ""},
		{sink.File{Path: "x", Format: "cef"}, "file.path"},
		{sink.File{Path: "/x", Format: "csv"}, "file.format"},
		{sink.HTTP{URL: "ftp://x", Format: "csv"}, "http.url"},
		{sink.HTTP{URL: "https://x", Format: "xml"}, "http.format"},
		{sink.Syslog{Addr: "x", Format: "cef"}, "syslog.addr"},
		{sink.Syslog{Addr: "x:6514", Format: "csv"}, "syslog.format"},
	} {
		err := c.of.Problem()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want+":") {
			t.Errorf("%+v: %v, want %q", c.of, err, c.want)
		}
	}
}
