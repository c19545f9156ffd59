package cli_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

// TestService runs the server as systemd does.
func TestService(t *testing.T) {
	dir := t.TempDir()
	secret := strings.Repeat("sesame", 8)
	if err := os.WriteFile(filepath.Join(dir, "stoa-secret"), []byte(secret+"\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	next := func(want string) {
		t.Helper()
		got := make([]byte, 64)
		n, err := socket.Read(got)
		if err != nil || string(got[:n]) != want {
			t.Fatalf("got the notification %q, %v, want %q", got[:n], err, want)
		}
	}
	data := filepath.Join(dir, "data")
	s := serveIn(t, []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=20000", "CREDENTIALS_DIRECTORY=" + dir},
		standard.Modules(), "--data-dir", data)
	next("READY=1")
	next("WATCHDOG=1")
	next("WATCHDOG=1")
	s.signals <- os.Interrupt
	for {
		got := make([]byte, 64)
		n, err := socket.Read(got)
		if err != nil {
			t.Fatal(err)
		}
		if string(got[:n]) == "STOPPING=1" {
			break
		}
	}
	if code := <-s.code; code != 0 {
		t.Errorf("serve ended with %d\n%s", code, s.errs)
	}
	printed := stoaIn(t, []string{"CREDENTIALS_DIRECTORY=" + dir}, "config", "print").ok(t).out
	if !strings.Contains(printed, "secret: '********'") {
		t.Errorf("the credential is not the secret:\n%s", printed)
	}
	if strings.Contains(printed, secret) {
		t.Error("the secret was printed")
	}
	short := t.TempDir()
	if err := os.WriteFile(filepath.Join(short, "stoa-secret"), []byte("sesame"), 0o400); err != nil {
		t.Fatal(err)
	}
	stoaIn(t, []string{"CREDENTIALS_DIRECTORY=" + short}, "config", "check").fails(t, 2, "secret: the credential")
}

func TestManual(t *testing.T) {
	page := stoa(t, "", "manual").ok(t).out
	for _, text := range []string{
		`.TH STOA 1 "" "stoa ` + testVersion, ".SS \"stoa user create\"\n", ".SS \"stoa backup ", `\fB\-\-config=FILE\fR`,
		"\n.EX\n  bash:  source <(stoa completion bash)\n",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the manual page lacks %q", text)
		}
	}
	if strings.Contains(page, "module new") {
		t.Error("the manual page describes a hidden command")
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".S") &&
			!strings.HasPrefix(line, ".T") && !strings.HasPrefix(line, ".E") && !strings.HasPrefix(line, ".PP") {
			t.Errorf("roff reads this as a request: %s", line)
		}
	}
}
