package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

func options(text string) Options {
	return Options{
		ConfigText: text, Log: slog.New(slog.DiscardHandler),
		Set: map[string]string{"http.addr": "127.0.0.1:0", "database.url": "sqlite::memory:"},
	}
}

func TestStepsStopInReverse(t *testing.T) {
	var did []string
	part := func(name string, fails bool) step {
		return step{
			name,
			func(context.Context) error {
				did = append(did, "+"+name)
				if fails {
					return errors.New(name + " failed")
				}
				return nil
			},
			func(context.Context) error { did = append(did, "-"+name); return nil },
			time.Minute,
		}
	}
	s := &Server{Log: slog.New(slog.DiscardHandler)}
	err := s.run(t.Context(), []step{part("a", false), part("b", false), part("c", true), part("d", false)})
	if err == nil || err.Error() != "c failed" {
		t.Errorf("got %v", err)
	}
	if want := []string{"+a", "+b", "+c", "-b", "-a"}; !slices.Equal(did, want) {
		t.Errorf("did %v, want %v", did, want)
	}
	did = nil
	if err := s.Stop(t.Context()); err != nil || len(did) > 0 {
		t.Errorf("a second Stop did %v, %v", did, err)
	}
}

// A part that hangs during shutdown does not use up the time limits of later ones.
func TestEachStepHasItsOwnTimeToStop(t *testing.T) {
	start := func(context.Context) error { return nil }
	var left time.Duration
	kernel := func(ctx context.Context) error {
		end, _ := ctx.Deadline()
		left = time.Until(end)
		return ctx.Err()
	}
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	s := &Server{Log: slog.New(slog.DiscardHandler)}
	steps := []step{{"kernel", start, kernel, time.Minute}, {"address", start, hang, time.Millisecond}}
	if err := s.run(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	err := s.stopSteps(t.Context())
	if err == nil || err.Error() != "stop address: context deadline exceeded" || left < 30*time.Second {
		t.Errorf("%v; the kernel had %v", err, left)
	}
}

func TestPortInUse(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := options("modules:\n" + sound)
	o.Set["http.addr"] = l.Addr().String()
	s, err := New(t.Context(), o, catalog()...)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Serve(t.Context())
	if err == nil || !strings.Contains(err.Error(), "http.addr: "+l.Addr().String()+" is in use") {
		t.Errorf("got %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestFirstRequestsWait pauses a first start after the owner has been created, but before the login details are
// printed. Meanwhile a client connects as early as possible.
func TestFirstRequestsWait(t *testing.T) {
	s, err := New(t.Context(), options("modules:\n"+sound), catalog()...)
	if err != nil {
		t.Fatal(err)
	}
	var early net.Conn
	err = s.Serve(t.Context(), func(ctx context.Context) error {
		if last := s.started[len(s.started)-1].name; last != "absences" {
			t.Errorf("the first start finished after %s", last)
		}
		if early, err = new(net.Dialer).DialContext(ctx, "tcp", s.Addr()); err != nil {
			return err
		}
		_, err = early.Write([]byte("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(early)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
		t.Errorf("an early client got %q, %v", answer, err)
	}
	if err := errors.Join(early.Close(), s.Stop(t.Context())); err != nil {
		t.Error(err)
	}

	s, err = New(t.Context(), options("modules:\n"+sound), catalog()...)
	if err != nil {
		t.Fatal(err)
	}
	fails := errors.New("no room")
	if err := s.Serve(t.Context(), func(context.Context) error { return fails }); !errors.Is(err, fails) {
		t.Errorf("got %v", err)
	}
	if _, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr()); err == nil {
		t.Error("a server whose first start failed still accepts connections")
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

type all struct {
	fx.In
	DB        *bunstore.DB
	Log       *slog.Logger
	Collected *kit.Collected
	Clock     ports.Clock
	Work      ports.UnitOfWork
	Events    ports.EventLog
	Reset     ports.LogReset
	Reader    ports.LogReader
	Directory ports.Directory
	Writer    ports.Writer
	Hooks     ports.Hooks
	Audit     ports.Audit
	Renderer  ports.Renderer
	Emoji     ports.Emoji
	Sealer    ports.Sealer
	Data      ports.DataDir
	Site      ports.Site
	Version   ports.Version
	Node      ports.Node
	Metrics   *ports.Metrics
}

// TestBuiltin checks that the kernel provides the ports that the registry assumes.
func TestBuiltin(t *testing.T) {
	var url string
	asked := kit.Define("asks", "A.", kit.None{}, func(_ kit.None, n all) (kit.Parts, error) {
		url = n.Site.URL()
		return kit.Parts{}, nil
	})
	for _, b := range builtin() {
		if !slices.Contains(asked.Needs, b) {
			t.Errorf("the test does not require %v", b)
		}
	}
	s, err := New(t.Context(), options(
		"http: {url: https://chat.example.com/}\nmodules: {realm: {}, accounts: {}, asks: {}}"),
		append(catalog(), asked)...)
	if err != nil {
		t.Fatal(err)
	}
	if url != "https://chat.example.com" {
		t.Errorf("the server's address: %q", url)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestModuleError(t *testing.T) {
	for name, wire := range map[string]func(kit.None, in) (kit.Parts, error){
		"by an error": func(kit.None, in) (kit.Parts, error) { return kit.Parts{}, errors.New("the moon is full") },
		"by a panic":  func(kit.None, in) (kit.Parts, error) { panic("the moon is full") },
	} {
		t.Run(name, func(t *testing.T) {
			moody := kit.Define("moody", "M.", kit.None{}, wire)
			_, err := New(t.Context(), options("modules: {realm: {}, accounts: {}, moody: {}}"), append(catalog(), moody)...)
			if err == nil || !strings.Contains(err.Error(), "the moon is full") || strings.Contains(err.Error(), "goroutine") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDuplicateModules(t *testing.T) {
	_, err := New(t.Context(), options("modules:\n"+sound), append(catalog(), catalog()[0])...)
	if err == nil || err.Error() != "module realm: is in the list of modules twice; remove one" {
		t.Errorf("got %v", err)
	}
}

func TestReservedNames(t *testing.T) {
	jobs := kit.Define("jobs", "J.", kit.None{}, func(kit.None, in) (kit.Parts, error) { return kit.Parts{}, nil })
	_, err := New(t.Context(), options("modules:\n"+sound), append(catalog(), jobs)...)
	if err == nil || err.Error() != "module jobs: has the name of a part of the server; choose another" {
		t.Errorf("got %v", err)
	}
}

type noRealms struct{ ports.Realms }

func (noRealms) All(context.Context) ([]realm.ID, error) { return nil, nil }

func TestFoundWithoutAccounts(t *testing.T) {
	_, err := Ports{Realms: noRealms{}}.CreateFirstRealm(t.Context(), NewRealm{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), "modules: {accounts: {}}") {
		t.Errorf("got %v", err)
	}
}

func TestInspectTouchesNothing(t *testing.T) {
	dir := t.TempDir() + "/never"
	o := options("data_dir: " + dir + "\nmodules:\n" + sound)
	delete(o.Set, "database.url")
	s, err := Inspect(t.Context(), o.Sources(), catalog()...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data directory was created: %v", err)
	}
	if got := s.Config.Settings.DatabaseURL(); got != "sqlite:"+dir+"/stoa.db" {
		t.Errorf("got %s", got)
	}
}

// Other users cannot read the database files, and the server warns about a data folder that they can access.
func TestFilesArePrivate(t *testing.T) {
	for mode, warns := range map[fs.FileMode]bool{0o700: false, 0o750: true, 0o755: true} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		o := options("modules:\n" + sound)
		delete(o.Set, "database.url")
		o.Set["data_dir"], o.Log, o.ManualJobs = dir, slog.New(slog.NewTextHandler(&log, nil)), true
		s, err := New(t.Context(), o, catalog()...)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Serve(t.Context()); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "stoa.db*"))
		if err != nil || len(files) < 3 {
			t.Errorf("only %v, %v", files, err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", f, info.Mode(), err)
			}
		}
		if got := strings.Contains(log.String(), "chmod 700"); got != warns {
			t.Errorf("%v: warned %v", mode, got)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
