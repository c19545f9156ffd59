package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

type result struct {
	code     int
	out, err string
}

const testVersion = "v9.8.7-test"

// stoa runs a command to completion.
func stoa(t *testing.T, in string, args ...string) result {
	t.Helper()
	return call(t, cli.Call{Args: args, In: strings.NewReader(in)})
}

// stoaIn runs a command with an environment.
func stoaIn(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	return call(t, cli.Call{Args: args, In: strings.NewReader(""), Environ: environ})
}

func call(t *testing.T, c cli.Call) result {
	t.Helper()
	var out, errs kittest.Lines
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	c.Out, c.Err, c.Version = &out, &errs, testVersion
	if c.Modules == nil {
		c.Modules = standard.Modules()
	}
	c.Notify = func(chan<- os.Signal) {}
	code := cli.Run(ctx, c)
	return result{code, out.String(), errs.String()}
}

func (r result) ok(t *testing.T) result {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	return r
}

// fails checks for an exit code and a single line that contains all of the texts.
func (r result) fails(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", r.code, code, r.out, r.err)
	}
	line := strings.TrimSpace(r.err)
	if strings.Contains(line, "\n") {
		t.Errorf("more than one line:\n%s", line)
	}
	for _, text := range texts {
		if !strings.Contains(line, text) {
			t.Errorf("%q is not in %q", text, line)
		}
	}
}

// running is a running server process.
type running struct {
	t       *testing.T
	out     *kittest.Lines
	errs    *kittest.Lines
	signals chan<- os.Signal
	code    chan int
	url     string
}

var listening = regexp.MustCompile(`listening on (\S+)`)

func serve(t *testing.T, modules []kit.Module, args ...string) *running {
	t.Helper()
	return serveIn(t, nil, modules, args...)
}

// serveIn is serve with an environment.
func serveIn(t *testing.T, environ []string, modules []kit.Module, args ...string) *running {
	t.Helper()
	r := &running{t: t, out: &kittest.Lines{}, errs: &kittest.Lines{}, code: make(chan int, 1)}
	asked := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		r.code <- cli.Run(ctx, cli.Call{
			Args: append([]string{"serve", "--http-addr", "127.0.0.1:0"}, args...), In: strings.NewReader(""),
			Out: r.out, Err: r.errs, Modules: modules, Version: testVersion,
			Environ: append([]string{"STOA_HTTP_RATE_LIMITS_ENABLED=false"}, environ...),
			Notify:  func(c chan<- os.Signal) { r.signals = c; close(asked) },
		})
	}()
	select {
	case <-asked:
	case code := <-r.code:
		t.Fatalf("serve ended with %d\n%s%s", code, r.out, r.errs)
	}
	kittest.Await(t, func() bool { return listening.MatchString(r.out.String()) })
	r.url = listening.FindStringSubmatch(r.out.String())[1]
	return r
}

// stop sends a signal and checks the exit code.
func (r *running) stop(code int) {
	r.t.Helper()
	r.signals <- os.Interrupt
	if got := testrun.Receive(r.t, r.code, "end of serve"); got != code {
		r.t.Errorf("serve ended with %d, want %d\n%s", got, code, r.errs)
	}
}

func (r *running) wait(text string) {
	r.t.Helper()
	kittest.Await(r.t, func() bool { return strings.Contains(r.out.String(), text) })
}

// ask sends a form and returns status and JSON body.
func ask(t *testing.T, method, address, user, key string, form url.Values) (int, map[string]any) {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		req.SetBasicAuth(user, key)
	}
	client := &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(res.Body).Decode(&v); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return res.StatusCode, v
}

func field(t *testing.T, text, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\s*` + name + `[ =]+(\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s is missing from\n%s", name, text)
	}
	return m[1]
}

func TestFirstStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := serve(t, standard.Modules(), "--data-dir", dir)
	s.wait("/users/me")
	printed := s.out.String()
	password, email, rc := private(t, field(t, printed, "password file")), field(t, printed, "email"),
		field(t, printed, "zuliprc")
	if at := field(t, printed, "address"); at != s.url || !strings.HasPrefix(at, "http://localhost:") {
		t.Errorf("address %s, but the server listens on %s", at, s.url)
	}
	if strings.Contains(printed, "127.0.0.1") ||
		!strings.Contains(printed, "stoa user create --data-dir "+dir+" --email") {
		t.Errorf("printed:\n%s", printed)
	}
	info, err := os.Stat(rc)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the zuliprc has mode %v", info.Mode().Perm())
	}
	file, err := os.ReadFile(rc)
	if err != nil {
		t.Fatal(err)
	}
	key := field(t, string(file), "key")
	if got := field(t, string(file), "site"); got != s.url {
		t.Errorf("site %s, want %s", got, s.url)
	}
	if strings.Contains(printed, key) || strings.Contains(printed, password) || strings.Contains(s.errs.String(), key) ||
		strings.Contains(s.errs.String(), password) {
		t.Error("a secret was printed")
	}
	status, me := ask(t, "GET", s.url+"/api/v1/users/me", email, key, nil)
	if status != 200 || me["is_owner"] != true {
		t.Errorf("users/me: %d %v", status, me)
	}
	status, v := ask(t, "POST", s.url+"/api/v1/fetch_api_key", "", "",
		url.Values{"username": {email}, "password": {password}})
	if status != 200 || v["api_key"] == "" {
		t.Errorf("login: %d %v", status, v)
	}
	status, v = ask(t, "GET", s.url+"/api/v1/messages?anchor=newest&num_before=10&num_after=0", email, key, nil)
	list, _ := v["messages"].([]any)
	if status != 200 || len(list) == 0 || list[0].(map[string]any)["display_recipient"] != "general" {
		t.Errorf("the first message: %d %v", status, v)
	}
	if strings.Contains(kittest.JSON(list), "stoa ") {
		t.Errorf("members are shown a command of the operator: %v", list)
	}
	status, v = ask(t, "POST", s.url+"/api/v1/invites/multiuse", email, key, url.Values{"stream_ids": {"[]"}})
	if link, _ := v["invite_link"].(string); status != 200 || !strings.HasPrefix(link, s.url+"/") {
		t.Errorf("invitation: %d %v", status, v)
	}
	s.stop(0)

	again := serve(t, standard.Modules(), "--data-dir", dir)
	if status, _ := ask(t, "GET", again.url+"/api/v1/users/me", email, key, nil); status != 200 {
		t.Errorf("after a restart the key gets status %d", status)
	}
	again.stop(0)
	if out := again.out.String(); strings.Contains(out, "password") || strings.Contains(out, key) ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("the second start printed\n%s", out)
	}
	if now, err := os.ReadFile(rc); err != nil || string(now) != string(file) {
		t.Errorf("the second start changed the zuliprc: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, standard.Modules(), "--data-dir", dir)
	addr := strings.TrimPrefix(s.url, "http://")
	fresh := filepath.Join(t.TempDir(), "fresh")
	for _, d := range []string{dir, fresh} {
		stoa(t, "", "serve", "--http-addr", addr, "--data-dir", d).fails(t, 1, "http.addr", addr, "in use", "STOA_HTTP_ADDR")
	}
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a server that could not listen created its data folder: %v", err)
	}
	s.stop(0)

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "serve", "--data-dir", filepath.Join(file, "data")).
		fails(t, 1, "data_dir: can't create the folder", "not a directory", "--data-dir", "STOA_DATA_DIR")
	stoa(t, "", "serve", "--data-dir", file).fails(t, 1, "data_dir: can't create the folder")
	// The server waits for these (TestStartWithoutDatabase); commands fail at once.
	stoa(t, "", "user", "list", "--database-url", "postgres://me:hunter2@127.0.0.1:1/x").
		fails(t, 1, "database.url: PostgreSQL at 127.0.0.1:1 does not respond (connection refused); start it",
			"STOA_DATABASE_URL")
	stoa(t, "", "upgrade", "check", "--database-url", "postgres://me:hunter2@127.0.0.1:1/x").fails(t, 5, "database.url")
	stoa(t, "", "user", "list", "--database-url", "postgres://me@nowhere.invalid/x").fails(t, 1,
		"database.url: PostgreSQL at nowhere.invalid:5432 can't be found", "host name")
	if at := os.Getenv("STOA_TEST_POSTGRES_URL"); at != "" {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		u.Path = "/stoa_nowhere"
		stoa(t, "", "serve", "--database-url", u.String()).fails(t, 1,
			`has no database "stoa_nowhere"; create it: createdb -O `+u.User.Username()+" stoa_nowhere")
		u.User = url.User("stoa_nobody")
		stoa(t, "", "serve", "--database-url", u.String()).fails(t, 1, `"stoa_nobody"`, "createuser --pwprompt stoa_nobody")
	}
	stoa(t, "", "serve", "--database-url", "mysql://x").fails(t, 1, "database.url", "sqlite:", "postgres://")
	stoa(t, "", "serve", "--config", filepath.Join(dir, "none.yaml")).fails(t, 2, "config: can't read the file",
		"--config")
	stoa(t, "", "--http-addr", "nowhere", "serve", "--data-dir", dir).fails(t, 2, "http.addr", "host:port")
}

func TestSecondSignalForces(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(release) })
	stuck := kit.Define("stuck", "Never ends.", kit.None{}, func(kit.None, needs) (kit.Parts, error) {
		return kit.Parts{Jobs: []kit.Job{{Name: "j", Every: time.Millisecond, Timeout: time.Hour, Everywhere: true,
			Run: func(context.Context) error {
				select {
				case <-entered:
				default:
					close(entered)
				}
				<-release
				return nil
			}}}}, nil
	})
	config := filepath.Join(t.TempDir(), "c.yaml")
	text := "modules: {realm: {}, accounts: {}, stuck: {}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, append(standard.Modules(), stuck), "--config", config, "--data-dir", t.TempDir())
	<-entered
	s.signals <- os.Interrupt
	kittest.Await(t, func() bool { return strings.Contains(s.errs.String(), "second signal") })
	s.stop(130)
}
