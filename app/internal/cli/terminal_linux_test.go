package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// console is a command on a terminal.
type console struct {
	t        *testing.T
	person   *os.File // the other end of the terminal
	tty      *os.File
	shown    *kittest.Lines
	answered int // the length of what was shown up to the last answered question
	code     chan int
	signals  chan<- os.Signal
}

// startOnTerminal runs stoa serve with a pseudoterminal for input and output.
func startOnTerminal(t *testing.T, args ...string) *console {
	t.Helper()
	return runOnTerminal(t, append([]string{"serve", "--http-addr", "127.0.0.1:0"}, args...)...)
}

// runOnTerminal runs a command that reacts to signals, with a pseudoterminal for input and output.
func runOnTerminal(t *testing.T, args ...string) *console {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, person: person, tty: tty, shown: &kittest.Lines{}, code: make(chan int, 1)}
	asked := make(chan chan<- os.Signal, 1)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		_ = tty.Close()
		_ = person.Close()
	})
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := person.Read(buffer)
			_, _ = c.shown.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() {
		c.code <- cli.Run(ctx, cli.Call{
			Args: args, In: tty, Out: tty, Err: tty, Modules: standard.Modules(), Version: testVersion,
			Notify: func(ch chan<- os.Signal) { asked <- ch },
		})
	}()
	c.signals = <-asked
	return c
}

// answer waits for a question and answers it.
func (c *console) answer(question, answer string) {
	c.t.Helper()
	c.await(question)
	c.enter(answer)
}

// answerPassword is like answer, but also waits until the terminal does not echo: the question is shown before.
func (c *console) answerPassword(question, answer string) {
	c.t.Helper()
	c.await(question)
	kittest.Await(c.t, func() bool {
		mode, err := unix.IoctlGetTermios(int(c.tty.Fd()), unix.TCGETS)
		return err == nil && mode.Lflag&unix.ECHO == 0
	})
	c.enter(answer)
}

// await waits for a question after those already answered.
func (c *console) await(question string) {
	c.t.Helper()
	kittest.Await(c.t, func() bool {
		shown := c.shown.String()
		return len(shown) > c.answered && strings.HasSuffix(shown, question)
	})
	c.answered = len(c.shown.String())
}

func (c *console) enter(text string) {
	c.t.Helper()
	if _, err := c.person.WriteString(text + "\n"); err != nil {
		c.t.Fatal(err)
	}
}

// A first start on a terminal asks for values that are not given as flags.
func TestFirstStartOnTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startOnTerminal(t, "--data-dir", dir, "--owner-name", "Zeno")
	c.answer("organization [Stoa]: ", "The Porch")
	c.answer("email address [owner@stoa.localhost]: ", "nobody")
	c.answer("email address [owner@stoa.localhost]: ", "zeno@example.com")
	c.answerPassword("password, at least 8 characters [generated]: ", "seven77")
	c.answerPassword("The password must have at least 8 characters.\r\n"+
		"Your password, at least 8 characters [generated]: ", "staple horse battery")
	kittest.Await(t, func() bool { return listening.MatchString(c.shown.String()) })
	shown := c.shown.String()
	if strings.Contains(shown, "battery") {
		t.Errorf("the password was echoed:\n%s", shown)
	}
	if _, err := os.Stat(filepath.Join(dir, "owner-password")); err == nil {
		t.Error("an entered password was written to a file")
	}
	site := listening.FindStringSubmatch(shown)[1]
	status, v := ask(t, "POST", site+"/api/v1/fetch_api_key", "", "",
		map[string][]string{"username": {"zeno@example.com"}, "password": {"staple horse battery"}})
	if status != 200 {
		t.Fatalf("login: %d %v", status, v)
	}
	if _, v := ask(t, "GET", site+"/api/v1/users/me", "zeno@example.com", v["api_key"].(string),
		nil); v["full_name"] != "Zeno" || v["is_owner"] != true {
		t.Errorf("users/me: %v", v)
	}
	if _, v := ask(t, "GET", site+"/api/v1/server_settings", "", "", nil); v["realm_name"] != "The Porch" {
		t.Errorf("server_settings: %v", v)
	}
	c.signals <- os.Interrupt
	if code := <-c.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Enter accepts the defaults. The generated password is shown and written to a file.
func TestFirstStartWithDefaults(t *testing.T) {
	dir := t.TempDir()
	c := startOnTerminal(t, "--data-dir", dir)
	for _, question := range []string{"[Stoa]: ", "[owner@stoa.localhost]: ", "[Owner]: ", "[generated]: "} {
		c.answer(question, "")
	}
	kittest.Await(t, func() bool { return listening.MatchString(c.shown.String()) })
	if password := private(t, filepath.Join(dir, "owner-password")); !strings.Contains(c.shown.String(),
		"password "+password) {
		t.Errorf("the generated password %s is not shown:\n%s", password, c.shown)
	}
	c.signals <- os.Interrupt
	if code := <-c.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A signal ends the questions without creating anything.
func TestFirstStartInterrupted(t *testing.T) {
	dir := t.TempDir()
	c := startOnTerminal(t, "--data-dir", dir)
	kittest.Await(t, func() bool { return strings.HasSuffix(c.shown.String(), "[Stoa]: ") })
	c.signals <- os.Interrupt
	if code := <-c.code; code != 1 {
		t.Errorf("exit code %d", code)
	}
	stoa(t, "", "user", "list", "--data-dir", dir).fails(t, 1, "there is no organization yet")
}

// On a terminal, a start writes one line, and requests are logged only at level debug.
func TestLogOnTerminal(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	founded(t, "--data-dir", dir)
	config := filepath.Join(dir, "debug.yaml")
	if err := os.WriteFile(config, []byte("log: {level: debug}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, debug := range []bool{false, true} {
		args := []string{"--data-dir", dir}
		if debug {
			args = append(args, "--config", config)
		}
		c := startOnTerminal(t, args...)
		kittest.Await(t, func() bool { return listening.MatchString(c.shown.String()) })
		site := listening.FindStringSubmatch(c.shown.String())[1]
		ask(t, "GET", site+"/api/v1/server_settings", "", "", nil)
		if debug {
			kittest.Await(t, func() bool { return strings.Contains(c.shown.String(), "msg=request") })
		}
		c.signals <- os.Interrupt
		if code := <-c.code; code != 0 {
			t.Errorf("exit code %d", code)
		}
		// The terminal has shown the last line when it is here.
		kittest.Await(t, func() bool { return strings.Contains(c.shown.String(), "second signal") })
		before, _, _ := strings.Cut(c.shown.String(), "stoa: stopping")
		if lines := strings.TrimSpace(before); !debug && lines != "Stoa is listening on "+site {
			t.Errorf("a start and a request have written\n%s", lines)
		}
	}
}

// On a terminal, a restore asks whether to revoke what may have been revoked since the backup.
func TestRestoreAsks(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "b.tar")
	made := founded(t, "--data-dir", dir)
	stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
	for answer, want := range map[string]int{"y": http.StatusUnauthorized, "": http.StatusOK} {
		restored := filepath.Join(t.TempDir(), "restored")
		c := runOnTerminal(t, "restore", to, "--data-dir", restored)
		c.answer("log in again? [y/N] ", answer)
		if code := <-c.code; code != 0 {
			t.Fatalf("exit code %d\n%s", code, c.shown)
		}
		s := serve(t, standard.Modules(), "--data-dir", restored)
		if status, _ := ask(t, "GET", s.url+"/api/v1/users/me", made.Email, made.Key, nil); status != want {
			t.Errorf("%q: status %d", answer, status)
		}
		s.stop(0)
	}
}
