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

	"golang.org/x/term"

	"github.com/stoachat/stoa/app/internal/server"
)

// newPassword makes a password of 130 random bits.
func newPassword() string { return strings.ToLower(rand.Text()) }

// writeZuliprc writes the file that clients log in with, for its owner's eyes only, and gives its path.
func writeZuliprc(dir, site, email, key string) (string, error) {
	path, err := writePrivate(dir, "zuliprc", fmt.Sprintf("[api]\nemail=%s\nkey=%s\nsite=%s\n", email, key, site))
	if err != nil {
		return "", fmt.Errorf("write the zuliprc: %w", err)
	}
	return path, nil
}

// keepPassword writes a generated password to a file in the data directory that only its owner reads, and gives the
// path. It prints the password only on a terminal, and only unless quiet: other output may end in a log.
func (e *env) keepPassword(s *server.Server, name, password string, quiet bool) (string, error) {
	dir := s.Config.Settings.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("write the password: %w", err)
	}
	path, err := writePrivate(dir, name, password+"\n")
	if err != nil {
		return "", fmt.Errorf("write the password: %w", err)
	}
	if out, ok := e.Out.(*os.File); ok && !quiet && term.IsTerminal(int(out.Fd())) {
		e.say("password %s\n", password)
	}
	return path, nil
}

// writePrivate writes a file with mode 0600 in place of what was there, and gives its path.
func writePrivate(dir, name, text string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(dir, "."+name+"-*") // made with mode 0600
	if err != nil {
		return "", err
	}
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return path, err
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
