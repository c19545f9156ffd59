package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/user"
)

// terminal is a terminal that a user can answer questions on.
type terminal struct {
	in  *os.File
	out io.Writer
}

// terminal returns the terminal. It returns false unless both input and output are terminals.
func (e *env) terminal() (terminal, bool) {
	in, ok := e.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return terminal{}, false
	}
	out, ok := e.Out.(*os.File)
	return terminal{in, e.Out}, ok && term.IsTerminal(int(out.Fd()))
}

// errStopped reports that a signal has interrupted the questions of the first start.
var errStopped = errors.New("stopped before the organization was created")

// maxAnswer is the maximum length of an answer in bytes.
const maxAnswer = 1000

// passwordRules are those of a server for new passwords.
type passwordRules interface {
	MinPassword() int
	CheckPassword(password, email string, names ...string) error
}

// ask asks for the values missing in f, and stops when a signal arrives. Errors: errStopped; those of the terminal.
func (t terminal) ask(f server.NewRealm, rules passwordRules, signals <-chan os.Signal) (server.NewRealm, error) {
	before, err := term.GetState(int(t.in.Fd()))
	if err != nil {
		return f, fmt.Errorf("read from the terminal: %w", err)
	}
	answered := make(chan error, 1)
	go func() { answered <- t.questions(&f, rules) }()
	select {
	case err := <-answered:
		return f, err
	case <-signals: // the reading goroutine ends with the program
		_ = term.Restore(int(t.in.Fd()), before) // the program ends anyway
		return server.NewRealm{}, errStopped
	}
}

func (t terminal) questions(f *server.NewRealm, rules passwordRules) error {
	if f.Name == "" || f.OwnerEmail == "" || f.OwnerName == "" || f.OwnerPassword == "" {
		t.printf("This server has no organization yet. Press Enter to take the value in brackets.\n")
	}
	for _, q := range []struct {
		to             *string
		text, fallback string
		check          func(string) error
	}{
		{&f.Name, "Name of the organization", localRealm, func(s string) error { return nil }},
		{&f.OwnerEmail, "Your email address", localOwner, func(s string) error { _, err := user.CheckEmail(s); return err }},
		{&f.OwnerName, "Your name", localName, func(s string) error { _, err := user.CheckName(s); return err }},
	} {
		for *q.to == "" {
			t.printf("%s [%s]: ", q.text, q.fallback)
			answer, err := t.line()
			if err != nil {
				return err
			}
			answer = cmp.Or(strings.TrimSpace(answer), q.fallback)
			if err := q.check(answer); err != nil {
				t.printf("%v\n", err)
				continue
			}
			*q.to = answer
		}
	}
	for f.OwnerPassword == "" {
		t.printf("Your password, at least %d characters [generated]: ", rules.MinPassword())
		answer, err := term.ReadPassword(int(t.in.Fd()))
		t.printf("\n")
		if err != nil || len(answer) == 0 {
			return err
		}
		if err := rules.CheckPassword(string(answer), f.OwnerEmail, f.OwnerName, f.Name); err != nil {
			t.printf("%v\n", err)
			continue
		}
		f.OwnerPassword = string(answer)
	}
	return nil
}

// agrees asks a question and reports whether the answer is yes.
func (t terminal) agrees(question string) (bool, error) {
	t.printf("%s [y/N] ", question)
	answer, err := t.line()
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// line reads a line byte by byte, so that later input is left for other readers.
func (t terminal) line() (string, error) {
	var b []byte
	buf := make([]byte, 1)
	for len(b) < maxAnswer {
		n, err := t.in.Read(buf)
		if n == 1 && buf[0] == '\n' {
			return strings.TrimRight(string(b), "\r"), nil
		}
		b = append(b, buf[:n]...)
		if err != nil {
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
	}
	return "", errors.New("the answer is too long")
}

func (t terminal) printf(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }
