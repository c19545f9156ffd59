package cli_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/standard"
)

// patient is a server with the demo organization that stoa doctor examines.
type patient struct {
	t        *testing.T
	dir      string
	database string // its URL
	made     owner
	flags    []string
	file     string // the path of an uploaded file
}

func (p *patient) sqlite() bool { return strings.HasPrefix(p.database, "sqlite:") }

// newPatient creates the organization, uploads a file, and lets jobs do their work.
func newPatient(t *testing.T, url string) *patient {
	t.Helper()
	p := &patient{t: t, dir: filepath.Join(t.TempDir(), "data")}
	p.flags = []string{"--data-dir", p.dir}
	if p.database = "sqlite:" + filepath.Join(p.dir, "stoa.db"); url != kittest.Memory {
		p.database = kittest.Real(t, url)
		p.flags = append(p.flags, "--database-url", p.database)
	}
	r := stoa(t, "", append([]string{"init", "--demo", "--json"}, p.flags...)...).ok(t)
	p.must(json.Unmarshal([]byte(r.out), &p.made))
	s := serve(t, standard.Modules(), p.flags...)
	attach(t, s.url, p.made.Email, p.made.Key, "content")
	ask(t, http.MethodPost, s.url+"/api/v1/invites/multiuse", p.made.Email, p.made.Key, nil)
	ask(t, http.MethodPost, s.url+"/api/v1/messages/1/reactions", p.made.Email, p.made.Key, map[string][]string{
		"emoji_name": {"octopus"}})
	s.stop(0)
	p.must(filepath.WalkDir(filepath.Join(p.dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			p.file = path
		}
		return err
	}))
	p.exec(`UPDATE messages SET sent_at = '2020-01-01 00:00:00+00:00' WHERE id < 100`) // to be examined for old rules
	app, err := server.New(t.Context(), server.Options{
		Set: map[string]string{"data_dir": p.dir, "database.url": p.database}, ConfigBase: configs.Local(),
		ManualJobs: true, Err: os.Stderr,
	}, standard.Modules()...)
	p.must(err)
	p.must(app.StartExisting(t.Context()))
	for _, job := range []string{"messages.search", "messages.rendering"} {
		p.must(app.RunJob(t.Context(), job))
	}
	p.must(app.Stop(t.Context()))
	return p
}

func (p *patient) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// exec runs statements. BYTES(xx)END is a string of bytes in hexadecimal, and NOW() in quotes is the time.
func (p *patient) exec(statements ...string) {
	p.t.Helper()
	if len(statements) == 0 {
		return
	}
	db, err := bunstore.Open(p.t.Context(), bunstore.Config{URL: p.database})
	p.must(err)
	tx, _, err := db.Begin(p.t.Context(), bunstore.Changing)
	p.must(err)
	for _, s := range statements {
		s = strings.ReplaceAll(s, "'NOW()'", time.Now().UTC().Format("'2006-01-02 15:04:05-07:00'"))
		if p.sqlite() {
			s = strings.NewReplacer("BYTES(", "X'", ")END", "'").Replace(s)
		} else {
			s = strings.NewReplacer("BYTES(", `'\x`, ")END", "'::bytea").Replace(s)
		}
		if _, err := tx.Run(p.t.Context(), s); err != nil {
			p.t.Fatalf("%s: %v", s, err)
		}
	}
	p.must(tx.Commit(p.t.Context()))
	p.must(db.Close())
}

type examined struct {
	Status string
	Checks []checked
}

type checked struct {
	Check, Status             string
	Found, Remedies, Repaired []string
}

// doctor runs stoa doctor, and returns the checks that found something, and those that also repaired it.
func (p *patient) doctor(environ []string, args ...string) (found map[string]string, all examined) {
	p.t.Helper()
	r := stoaIn(p.t, environ, append(append([]string{"doctor", "--json"}, p.flags...), args...)...)
	if err := json.Unmarshal([]byte(r.out), &all); err != nil || (r.code == 1) != (all.Status == "fail") {
		p.t.Fatalf("exit code %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
	all.Checks = slices.DeleteFunc(all.Checks, func(c checked) bool {
		return c.Status == "skipped" || c.Status == "ok" && len(c.Repaired) == 0
	})
	found = map[string]string{}
	for _, c := range all.Checks {
		if c.Status == "warn" || c.Status == "fail" {
			found[c.Check] = c.Status
			if len(c.Found) == 0 || len(c.Remedies) == 0 {
				p.t.Errorf("%s says neither what is wrong nor what to do: %+v", c.Check, c)
			}
		}
	}
	return found, all
}

// Each damage is found by one check, and repaired by --fix where that check can. A healthy server gives no warning.
// Each examination runs the statements of all checks, so that a third of the damages suffices on PostgreSQL.
func TestDoctor(t *testing.T) {
	t.Parallel()
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		p := newPatient(t, url)
		if found, all := p.doctor(nil); len(found) > 0 {
			t.Fatalf("a healthy server: %+v", all)
		}
		for i, d := range damages() {
			if !p.sqlite() && d.only == "" && i%3 != 0 && !testrun.Long() {
				continue
			}
			if d.only == "" || (d.only == "sqlite") == p.sqlite() {
				t.Run(strings.ReplaceAll(d.name, " ", "_"), func(t *testing.T) {
					here := *p
					here.t = t
					here.suffers(d)
				})
			}
		}
		if found, all := p.doctor(nil); len(found) > 0 {
			t.Fatalf("after all repairs: %+v", all)
		}
	})
}

// suffers plants a damage, and checks that it is found and repaired.
func (p *patient) suffers(d damage) {
	p.t.Helper()
	p.exec(d.plant...)
	undo := func() { p.exec(d.undo...) }
	repaired := d.undo == nil && d.args == nil && d.environ == nil
	if d.damage != nil {
		restore := d.damage(p)
		if undo = restore; undo == nil {
			undo = func() {}
		}
		repaired = repaired && restore == nil
	}
	defer undo()
	args := slices.Clone(d.args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{dir}", p.dir)
	}
	found, all := p.doctor(d.environ, args...)
	if len(found) != 1 || found[d.check] != d.status {
		p.t.Errorf("found %v, want %s of %s: %+v", found, d.status, d.check, all)
	}
	if !repaired {
		return
	}
	found, all = p.doctor(nil, "--fix", "--only", d.check) // TestDoctor finally runs all of them
	if len(found) > 0 || !slices.ContainsFunc(all.Checks, func(c checked) bool {
		return c.Check == d.check && len(c.Repaired) > 0
	}) {
		p.t.Errorf("after --fix: %+v", all)
	}
}

// Beside a server, checks that must not run there are skipped, and the settings of organizations are examined.
func TestDoctorBesideServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	set := func(invited string) {
		t.Helper()
		if status, v := ask(t, http.MethodPatch, s.url+"/api/v1/realm", made.Email, made.Key,
			url.Values{"invite_required": {invited}}); status != 200 {
			t.Fatal(status, v)
		}
	}
	set("false")
	r := stoa(t, "", "doctor", "--data-dir", dir).ok(t)
	for _, line := range []string{
		"skipped server.entries: It must not run beside the server: stop that first.\n",
		"warn    server.registration: anyone can join organization 1 with any address, since no email is sent. ",
		"ok      server.views: ", "ok      server.jobs: ",
	} {
		if !strings.Contains(r.out, line) {
			t.Errorf("%q is not in\n%s", line, r.out)
		}
	}
	set("true")
	r = stoa(t, "", "doctor", "--data-dir", dir, "--only", "server.registration").ok(t)
	if want := "ok      server.registration: Where anyone may join, the server can confirm addresses by email.\n"; r.out !=
		want {
		t.Errorf("got %s", r.out)
	}
	stoa(t, "", "doctor", "--data-dir", dir, "--only", "server.registrations").fails(t, 2, "server.registration")
	s.stop(0)
}
