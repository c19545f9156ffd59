package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/app/internal/server"
)

// newPassword makes a password of 130 random bits.
func newPassword() string { return strings.ToLower(rand.Text()) }

// writeZuliprc writes the file that clients log in with, for its owner's eyes only, and gives its path.
func writeZuliprc(dir, site, email, key string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, "zuliprc"))
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("[api]\nemail=%s\nkey=%s\nsite=%s\n", email, key, site)
	tmp, err := os.CreateTemp(dir, ".zuliprc-*") // made with mode 0600
	if err != nil {
		return "", fmt.Errorf("write the zuliprc: %w", err)
	}
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return "", fmt.Errorf("write the zuliprc: %w", err)
	}
	return path, nil
}

// password gives what a flag says; "-" reads a line from standard input, so that it is in no list of processes.
func (e *env) password(flag string) (string, error) {
	if flag != "-" {
		return flag, nil
	}
	line, err := bufio.NewReader(io.LimitReader(e.In, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", errors.New("no password came on standard input")
	}
	return line, nil
}

// site is how people reach the server: its configured URL, or the address it listens on.
func site(s *server.Server) string {
	if u := s.Config.Settings.HTTP.URL; u != "" {
		return strings.TrimRight(u, "/")
	}
	addr := s.Addr()
	if addr == "" {
		addr = s.Config.Settings.HTTP.Addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
