package systemd_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/internal/systemd"
)

func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := systemd.Of([]string{"NOTIFY_SOCKET=" + path}).Notify(systemd.Ready); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 64)
	n, err := socket.Read(got)
	if err != nil || string(got[:n]) != "READY=1" {
		t.Errorf("got %q, %v", got[:n], err)
	}
	if err := systemd.Of(nil).Notify(systemd.Ready); err != nil {
		t.Errorf("without systemd: %v", err)
	}
	if err := systemd.Of([]string{"NOTIFY_SOCKET=" + path + ".gone"}).Notify(systemd.Ready); err == nil {
		t.Error("no error without the socket")
	}
}

func TestInterval(t *testing.T) {
	own := "WATCHDOG_PID=" + strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		environ []string
		want    time.Duration
	}{
		{nil, 0},
		{[]string{"WATCHDOG_USEC=30000000"}, 15 * time.Second},
		{[]string{"WATCHDOG_USEC=30000000", own}, 15 * time.Second},
		{[]string{"WATCHDOG_USEC=30000000", "WATCHDOG_PID=1"}, 0},
		{[]string{"WATCHDOG_USEC=soon"}, 0},
	} {
		if got := systemd.Of(c.environ).Interval(); got != c.want {
			t.Errorf("%v: got %v, want %v", c.environ, got, c.want)
		}
	}
}

func TestCredential(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("open sesame\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	m := systemd.Of([]string{"CREDENTIALS_DIRECTORY=" + dir})
	if got, err := m.Credential("key"); got != "open sesame" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := m.Credential("other"); got != "" || err != nil {
		t.Errorf("a credential that is missing: got %q, %v", got, err)
	}
	if got, err := systemd.Of(nil).Credential("key"); got != "" || err != nil {
		t.Errorf("without systemd: got %q, %v", got, err)
	}
}
