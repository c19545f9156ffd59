package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/stoachat/stoa/modules/kit"
)

// newPassword returns a password with 130 random bits.
func newPassword() string { return strings.ToLower(rand.Text()) }

// writeZuliprc writes the credentials file for clients and returns its path. Only its owner can read it.
func writeZuliprc(dir, site, email, key string) (string, error) {
	path, err := writePrivate(dir, "zuliprc", fmt.Sprintf("[api]\nemail=%s\nkey=%s\nsite=%s\n", email, key, site))
	if err != nil {
		return "", fmt.Errorf("write the zuliprc: %w", err)
	}
	return path, nil
}

// savePassword writes a generated password to a file in the data directory that only its owner can read, and returns
// its path. It prints the password only on a terminal, and only unless quiet is set, since other output may end up in a
// log.
func (e *env) savePassword(dir, name, password string, quiet bool) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("write the password: %w", err)
	}
	path, err := writePrivate(dir, name, password+"\n")
	if err != nil {
		return "", fmt.Errorf("write the password: %w", err)
	}
	if out, ok := e.Out.(*os.File); ok && !quiet && term.IsTerminal(int(out.Fd())) {
		e.printf("password %s\n", password)
	}
	return path, nil
}

// writePrivate replaces a file by one with mode 0600, and returns its path.
func writePrivate(dir, name, text string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(dir, "."+name+"-*") // created with mode 0600
	if err != nil {
		return "", err
	}
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the caller needs err, not this error
	}
	return path, err
}

// readPassword completes the flags of a command that takes a password.
func (e *env) readPassword(p *kit.Password) error {
	given := 0
	for _, is := range []bool{p.Stdin, p.File != "", p.Prompt} {
		if is {
			given++
		}
	}
	if given > 1 {
		return codedError{errors.New("give the password only once, such as with --password-stdin"), usage}
	}
	var err error
	switch {
	case p.Stdin:
		p.Text, err = e.passwordLine()
	case p.File != "":
		var text []byte
		if text, err = os.ReadFile(p.File); err != nil {
			return fmt.Errorf("--password-file: %w", err)
		}
		if p.Text = strings.TrimRight(string(text), "\r\n"); p.Text == "" {
			return fmt.Errorf("--password-file: %s contains no password", p.File)
		}
	case p.Prompt:
		p.Text, err = e.promptPassword()
	}
	return err
}

// promptPassword asks for a password on the terminal, twice.
func (e *env) promptPassword() (string, error) {
	t, ok := e.terminal()
	if !ok {
		return "", codedError{errors.New("--password-prompt: there is no terminal; use --password-stdin"), usage}
	}
	var answers [2]string
	for i, text := range []string{"Password: ", "Again: "} {
		t.printf("%s", text)
		answer, err := term.ReadPassword(int(t.in.Fd()))
		t.printf("\n")
		if err != nil {
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
		answers[i] = string(answer)
	}
	if answers[0] == "" || answers[0] != answers[1] {
		return "", errors.New("the passwords differ, or are empty; nothing was changed")
	}
	return answers[0], nil
}

// passwordLine reads a line from standard input.
func (e *env) passwordLine() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(e.In, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", errors.New("standard input contains no password")
	}
	return line, nil
}
