package smtp_test

import (
	"cmp"
	"net"
	"strings"
	"testing"
)

// The health check says what fails and what to do, and asks the mail server only once in a while.
func TestHealth(t *testing.T) {
	ca, cert := authority(t)
	s := serve(t, &cert, false)
	c := config(s.port, "starttls")
	c.CAFile, c.User, c.Password = ca, "stoa", "pass word"
	m := open(t, c)
	begun := 0
	for range 3 {
		if err := m.Health(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun = cmp.Or(begun, len(s.accepted))
	}
	if n := len(s.accepted); n != begun || begun == 0 || len(s.received(t)) != 0 {
		t.Errorf("%d sessions after the first check, then %d; %v", begun, n, s.got)
	}
	c.Password = "wrong secret"
	if err := m.Reload(c); err != nil {
		t.Fatal(err)
	}
	if err := m.Health(t.Context()); err == nil || !strings.Contains(err.Error(), "STOA_ADAPTERS_MAIL_PASSWORD") ||
		strings.Contains(err.Error(), "wrong secret") {
		t.Errorf("a wrong password: %v", err)
	}
	c.CAFile = ""
	if err := open(t, c).Health(t.Context()); err == nil || !strings.Contains(err.Error(), "set adapters.mail.ca_file") {
		t.Errorf("an unknown certificate: %v", err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	c.Port = l.Addr().(*net.TCPAddr).Port
	if err := open(t, c).Health(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "the mail server at 127.0.0.1:") ||
		!strings.Contains(err.Error(), "start it, or correct adapters.mail.host") {
		t.Errorf("nothing listens: %v", err)
	}
}
