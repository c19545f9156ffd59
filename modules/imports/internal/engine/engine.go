// Package engine imports what a source reads: it plans, orders, and writes in transactions that each record what they
// have done, so that an import that is interrupted continues where it was, and one that is repeated adds only what is
// new.
//
// The organization is deactivated until everything has been written. Rows of people, channels and other tables are
// written at once, without events: afterwards all nodes read the organization again.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"time"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the engine.
type Needs struct {
	Store     *store.Store
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Reset     ports.LogReset
	Hooks     ports.Hooks
	Directory ports.Directory
	Realms    ports.Realms
	States    ports.RealmStates
	Messages  ports.MessageImport
	Files     ports.FileImport // nil: the server stores no files
	Emoji     ports.Emoji
	Clock     ports.Clock
	Logger    *slog.Logger
	Tables    func() []kit.Table
	Avatars   kit.Query[user.UploadedAvatar, user.SetAvatar]
	Emojis    kit.Query[emoji.Uploaded, emoji.Add]
}

// Engine imports organizations.
type Engine struct{ Needs }

// New returns an Engine.
func New(n Needs) *Engine { return &Engine{n} }

// Job is an import to be run.
type Job struct {
	Format     importing.Format
	Archive    importing.Archive
	Options    importing.Options
	Scratch    string                   // a folder for temporary files
	StringID   string                   // of the organization: its subdomain
	Into       bool                     // the organization exists, and was not created by an import
	Name       string                   // of the organization; "": as in the source
	Names      map[importing.Key]string // chosen for channels and groups
	OwnerEmail string
	DryRun     bool
	Fetch      importing.Fetcher // nil: nothing is downloaded
	MaxFile    int64             // maximum size of a file in bytes; 0: any
	// Claim runs in the transaction that creates the organization or finds the one of an earlier run, and may refuse it;
	// nil: any may be continued.
	Claim func(ctx context.Context, r realm.ID, created bool) error
	// Progress is called at the beginning of each step, after some files and each batch of messages, and while
	// messages are read. It ends the import if it fails; nil: nobody watches.
	Progress func(ctx context.Context, step string, messages int64) error
}

// Result is what an import has done, or would do.
type Result struct {
	Realm  realm.ID
	Report *importing.Report
}

// task is an import that runs.
type task struct {
	*Engine
	Job
	report *importing.Report
	source importing.Source
	home   *home // nil: a new organization
	scan   *importing.Directory
	run    *store.Run
	realm  realm.ID

	tables   []kit.Table             // in the order in which they are written
	refers   map[reflect.Type]string // the table to which columns of a type refer
	ids      map[string]map[int64]int64
	numbers  map[string]map[importing.Key]int64 // what stands for the keys of a table in rows
	last     int64                              // the last number given to a key, or ID in a dry run
	same     map[importing.Key]importing.Key    // merged people
	missing  map[importing.Key]string           // names of people who are in no list
	people   map[importing.Key]bool             // everybody in the archive
	channels map[importing.Key]string           // the names of channels
	periods  map[int64]map[int64][]importing.Period
	owned    bool // the archive's own rows contain an owner
	messages *sorter
	states   *spool
	files    map[importing.Key]bool
	nameKey  func(string) string
	meter    *meter
	firstBy  map[importing.Key]time.Time // when people sent their first messages
	firstIn  map[importing.Key]time.Time // and when those of channels were sent
	undated  []undated
	passed   int64 // messages that the source has passed on
	written  int64 // messages that were examined or written
}

// Run runs an import. Errors: *importing.UnusableError for an archive that cannot be imported.
func (e *Engine) Run(ctx context.Context, j Job) (*Result, error) {
	t := &task{
		Engine: e, Job: j, report: importing.NewReport(), ids: map[string]map[int64]int64{},
		numbers: map[string]map[importing.Key]int64{}, last: firstNumber, missing: map[importing.Key]string{},
		files: map[importing.Key]bool{}, meter: newMeter(ctx, e.Clock),
		firstBy: map[importing.Key]time.Time{}, firstIn: map[importing.Key]time.Time{},
	}
	if err := os.MkdirAll(j.Scratch, 0o700); err != nil {
		return nil, err
	}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	if err := t.write(ctx); err != nil {
		return nil, err
	}
	return &Result{t.realm, t.report}, nil
}

// read reads the archive, and collects the messages in files.
func (t *task) read(ctx context.Context) error {
	t.meter.begin("read the archive", 0)
	err := t.progress(ctx, "read the archive")
	if err != nil {
		return err
	}
	t.source, err = t.Format.Open(ctx, importing.Input{
		Archive: t.Archive, Options: t.Options, Report: t.report, Now: t.Clock.Now(), EmojiCode: t.Emoji.Code,
		Fetch: t.Fetch,
	})
	if err != nil {
		return err
	}
	if t.scan, err = t.source.Scan(ctx); err != nil {
		return err
	}
	if err := t.visit(ctx); err != nil {
		return err
	}
	t.sortTables()
	if err := t.plan(); err != nil {
		return err
	}
	t.messages = newSorter(t.Scratch, runBytes)
	if t.states, err = newSpool(t.Scratch); err != nil {
		return err
	}
	t.meter.begin("read messages", 0)
	if err := t.source.Messages(ctx, &sink{task: t, ctx: ctx}); err != nil {
		return fmt.Errorf("read the messages: %w", err)
	}
	if err := t.addMissing(); err != nil {
		return err
	}
	if err := t.date(); err != nil {
		return err
	}
	return t.fitIn()
}

// write writes everything, unless it is a dry run.
func (t *task) write(ctx context.Context) error {
	if t.DryRun {
		return t.countAll(ctx)
	}
	for _, step := range []struct {
		name  string
		run   func(context.Context) error
		total int64
	}{
		{"create the organization", t.begin, 0},
		{"people and channels", t.writeDirectory, 0},
		{"avatars and emoji", t.writeImages, int64(len(t.scan.Avatars) + len(t.scan.Emoji))},
		{"files", t.writeFiles, 0},
		{"messages", t.writeMessages, t.messages.count},
		{"protected history", t.writePeriods, 0},
		{"states", t.writeStates, int64(t.states.n)},
		{"finish", t.finish, 0},
	} {
		t.Logger.Info("import", "realm", t.realm, "step", step.name)
		t.meter.begin(step.name, step.total)
		err := t.progress(ctx, step.name)
		if err == nil {
			err = step.run(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// begin creates the organization, or finds the one that an earlier run has created. It stays deactivated meanwhile.
func (t *task) begin(ctx context.Context) error {
	if err := t.Work.Do(ctx, t.open); err != nil || !t.run.Complete {
		return err
	}
	if err := t.Messages.Begin(ctx, t.realm); err != nil { // before the run: it must not see what the run writes
		return err
	}
	return t.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := t.Log.Lock(ctx, t.realm); err != nil {
			return err
		}
		now, err := t.Store.Run(ctx, t.realm)
		switch {
		case err != nil:
			return err
		case now == nil || now.Source != t.run.Source:
			return errForgotten()
		}
		return t.newRun(ctx)
	})
}

func errForgotten() error {
	return importing.Unusable("what was imported into the organization is being forgotten; " +
		"run \"stoa import forget\" again")
}

// newRun stores that an import has begun.
func (t *task) newRun(ctx context.Context) error {
	newest, err := t.Store.Newest(ctx)
	if err != nil {
		return err
	}
	t.run = &store.Run{
		Realm: t.realm, Source: t.Format.Name, Joined: t.Into, AfterMessage: newest, StartedAt: t.Clock.Now(),
	}
	return t.Store.Save(ctx, t.run)
}

// open creates the organization and begins a run, or finds the organization and its last run. It deactivates it.
func (t *task) open(ctx context.Context) error {
	var err error
	if t.realm, err = t.find(ctx); err != nil {
		return err
	}
	if t.Into && t.realm == 0 {
		return importing.Unusable("there is no organization %q", t.StringID)
	}
	if t.realm == 0 {
		if t.realm, err = t.Realms.Create(ctx, t.realmName(), t.StringID); err != nil {
			return err
		}
		if err := t.States.Deactivate(ctx, t.realm, nil); err != nil {
			return err
		}
		if err := t.claim(ctx, true); err != nil {
			return err
		}
		return t.newRun(ctx)
	}
	if t.run, err = t.Store.Run(ctx, t.realm); err != nil {
		return err
	}
	if t.Into {
		return t.openHome(ctx)
	}
	if t.run == nil || t.run.Source != t.Format.Name || t.run.Joined {
		return t.taken()
	}
	if err := t.claim(ctx, false); err != nil {
		return err
	}
	v, err := t.Directory.View(ctx, t.realm)
	if err != nil || v.Realm().Deactivated {
		return err
	}
	return t.States.Deactivate(ctx, t.realm, nil)
}

func (t *task) claim(ctx context.Context, created bool) error {
	if t.Claim == nil {
		return nil
	}
	return t.Claim(ctx, t.realm, created)
}

// progress reports how far the import is.
func (t *task) progress(ctx context.Context, step string) error {
	return t.progressOf(ctx, step, t.written)
}

func (t *task) progressOf(ctx context.Context, step string, messages int64) error {
	if t.Progress == nil {
		return nil
	}
	return t.Progress(ctx, step, messages)
}

// taken is the error for a subdomain of another organization.
func (t *task) taken() error {
	if t.StringID == "" {
		return importing.Unusable("there is an organization already; name the subdomain of the imported one with --realm")
	}
	return importing.Unusable("the subdomain %q is in use by another organization; choose another one with --realm",
		t.StringID)
}

// find returns the organization with the subdomain, or 0.
func (t *task) find(ctx context.Context) (realm.ID, error) {
	all, err := t.Realms.All(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range all {
		v, err := t.Directory.View(ctx, r)
		if err != nil {
			return 0, err
		}
		if v.Realm().StringID == t.StringID {
			return r, nil
		}
	}
	return 0, nil
}

func (t *task) realmName() string {
	for _, name := range []string{t.Name, t.scan.Realm.Name} {
		if name = importing.CleanName(name, 40, ""); name != "" {
			return name
		}
	}
	return "Imported"
}

// finish opens the organization.
func (t *task) finish(ctx context.Context) error {
	err := t.Work.Do(ctx, func(ctx context.Context) error {
		if err := t.Messages.Finish(ctx, t.realm); err != nil {
			return err
		}
		return t.Reset.Reset(ctx, t.realm)
	})
	if err != nil {
		return err
	}
	if _, err := t.Directory.Verified(ctx, t.realm); err != nil {
		return err
	}
	return t.Work.Do(ctx, func(ctx context.Context) error {
		t.run.Complete, t.run.EndedAt = true, t.Clock.Now()
		if err := t.Store.Save(ctx, t.run); err != nil {
			return err
		}
		return t.States.Reactivate(ctx, t.realm)
	})
}
