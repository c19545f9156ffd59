package cli_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mailServer accepts one email and sends its text to got.
func mailServer(t *testing.T) (port string, got <-chan string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	text := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		var data strings.Builder
		within := false
		_, _ = fmt.Fprint(c, "220 test\r\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			line := lines.Text()
			switch {
			case within && line == ".":
				within = false
				text <- data.String()
				_, _ = fmt.Fprint(c, "250 ok\r\n")
			case within:
				data.WriteString(line + "\n")
			case strings.HasPrefix(line, "DATA"):
				within = true
				_, _ = fmt.Fprint(c, "354 go on\r\n")
			case strings.HasPrefix(line, "QUIT"):
				_, _ = fmt.Fprint(c, "221 bye\r\n")
				return
			default:
				_, _ = fmt.Fprint(c, "250 ok\r\n")
			}
		}
	}()
	return port, text
}

func TestMailTest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	stoa(t, "", "mail", "test", "ann@example.com", "--data-dir", dir).fails(t, 1, "this server sends no email",
		"adapters.mail.use to smtp")
	port, got := mailServer(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "http: {url: https://chat.example.com}\nadapters: {mail: {use: smtp, tls: none, host: 127.0.0.1, port: " +
		port + ", from: stoa@example.com}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "mail", "test", "nobody", "--config", file, "--data-dir", dir).fails(t, 1, "not sent")
	r := stoa(t, "", "mail", "test", "ann@example.com", "--config", file, "--data-dir", dir).ok(t)
	if mail := <-got; !strings.Contains(mail, "To: <ann@example.com>") || !strings.Contains(r.out, "ann@example.com") {
		t.Errorf("%s\n%s", mail, r.out)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, port, "1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "mail", "test", "ann@example.com", "--config", file, "--data-dir", dir).fails(t, 1, "not sent", "refused")
	absent(t, dir)
}
