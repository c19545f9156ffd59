package wasm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// installed is the entry of the log for a module that was installed, disabled or removed. Clients receive nothing.
var installed = kit.Event[kit.None]("wasm_modules", "changed").Internal()

func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.Confirm(kit.NewCommand("module install", s.install, "Install a module, or another version of it."),
			s.wouldInstall),
		kit.NewCommand("module list", s.list, "List the installed modules."),
		kit.Confirm(kit.NewCommand("module remove", s.remove, "Remove a module and what it has stored."), s.wouldRemove),
	}
}

type installFlags struct{ kit.FileArgument }

type listed struct {
	Name        string       `json:"name"`
	Version     string       `json:"version"`
	Permissions []permission `json:"permissions"`
	Installed   string       `json:"installed"`
	State       string       `json:"state"` // "running", or why it was disabled
}

func (g *guest) listed() listed {
	l := listed{
		Name: g.Manifest.Name, Version: g.Manifest.Version, Permissions: g.Manifest.Permissions,
		Installed: g.Installed.UTC().Format(time.RFC3339), State: "running",
	}
	if g.Disabled != "" {
		l.State = g.Disabled
	}
	return l
}

func (l listed) String() string { return "installed " + l.Name + " " + l.Version }

// read reads a package. Errors: BadRequest.
func (s *service) read(file []byte) (*pack, error) {
	if len(file) > s.cfg.MaxFileMiB<<20 {
		return nil, errs.Bad("The package is larger than %d MiB (modules.wasm.max_file_mib).", s.cfg.MaxFileMiB)
	}
	p, err := unpack(file, s.cfg.Signers)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(s.Collected.Names(), p.manifest.Name):
		return nil, errs.Bad("The server has a module %q already.", p.manifest.Name)
	case p.manifest.may(callHosts) && s.Webhooks == nil:
		return nil, errs.Bad("The module calls servers, and adapters.webhooks is missing.")
	}
	return p, nil
}

// replaced returns the module that another version is to replace, or nil. Errors: BadRequest if there is no room for
// another module.
func (s *service) replaced(ctx context.Context, r realm.ID, name string) (*guest, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	old := guests.In(v)[name]
	if old == nil && len(guests.In(v)) >= s.cfg.MaxModules {
		return nil, errs.Bad("There are %d modules already (modules.wasm.max_modules).", s.cfg.MaxModules)
	}
	return old, nil
}

func (s *service) wouldInstall(ctx context.Context, a kit.Actor, in installFlags) (kit.Effect, error) {
	p, err := s.read(in.Bytes)
	if err != nil {
		return kit.Effect{}, err
	}
	old, err := s.replaced(ctx, a.Realm, p.manifest.Name)
	if err != nil {
		return kit.Effect{}, err
	}
	m, signed := p.manifest, "not signed"
	if p.signed {
		signed = "signed"
	}
	text := fmt.Sprintf("install %s %s (%s), which is allowed to: %s", m.Name, m.Version, signed, m.allowed())
	if old != nil {
		text = fmt.Sprintf("replace %s by %s (%s), which is allowed to: %s", m.Name+" "+old.Manifest.Version,
			m.Version, signed, m.allowed())
	}
	return kit.Effect{Text: text, Counts: map[string]int{"permissions": len(m.Permissions)}}, nil
}

// install handles "module install". The code is compiled first, so that nothing waits for it here, and a module that
// can't be compiled is not installed.
func (s *service) install(ctx context.Context, a kit.Actor, in installFlags) (listed, error) {
	p, err := s.read(in.Bytes)
	if err != nil {
		return listed{}, err
	}
	if err := s.engine.Prepare(ctx, p.hash, func() (*pack, error) { return p, nil }); err != nil {
		return listed{}, err
	}
	g := guest{Hash: p.hash, Manifest: *p.manifest, Installed: s.Clock.Now()}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		old, err := s.replaced(ctx, a.Realm, g.Manifest.Name)
		if err != nil {
			return err
		}
		if g.ID = 0; old != nil {
			g.ID = old.ID
		}
		if _, err := s.Accounts.Bot(ctx, a.Realm, g.Manifest.botName(), g.Manifest.Title); err != nil {
			return err
		}
		var next *time.Time
		if every := g.Manifest.every(); every > 0 {
			at := g.Installed.Add(every)
			next = &at
		}
		if err := s.rows.Save(ctx, a.Realm, &g, in.Bytes, next); err != nil {
			return err
		}
		s.Work.AfterCommit(ctx, s.due.Added)
		return s.change(ctx, a.Realm, audit.ModuleInstalled, old, &g)
	})
	return g.listed(), err
}

// recorded is what the audit log contains of a module.
type recorded struct {
	Version     string       `json:"version"`
	Hash        string       `json:"hash"`
	Permissions []permission `json:"permissions,omitempty"`
	Hosts       []string     `json:"hosts,omitempty"`
	Disabled    string       `json:"disabled,omitempty"`
}

func (g *guest) recorded() any {
	if g == nil {
		return nil
	}
	return recorded{g.Manifest.Version, g.Hash, g.Manifest.Permissions, g.Manifest.Hosts, g.Disabled}
}

// change logs that a module was installed, disabled or removed. One of old and now may be nil.
func (s *service) change(ctx context.Context, r realm.ID, what audit.Action, old, now *guest) error {
	of := audit.Target{Kind: audit.Module, ID: cmp.Or(now, old).Manifest.Name}
	if err := s.Audit.Record(ctx, audit.Changed(r, what, of, old.recorded(), now.recorded())); err != nil {
		return err
	}
	c := guests.Change(directory.Swap[guest]{Old: old, New: now})
	return s.Log.Append(ctx, installed.To(r, event.None(), kit.None{}).Changing(c))
}

func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) ([]listed, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	all := []listed{}
	for _, g := range sorted(v) {
		all = append(all, g.listed())
	}
	return all, nil
}

type removeFlags struct {
	Name string `arg:"" help:"Name of the module."`
}

type removed struct {
	Name string `json:"name"`
}

func (r removed) String() string { return "removed " + r.Name }

func (s *service) wouldRemove(ctx context.Context, a kit.Actor, in removeFlags) (kit.Effect, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	g, err := find(v, in.Name)
	if err != nil {
		return kit.Effect{}, err
	}
	n, _, err := s.rows.Used(ctx, place{module: g.ID})
	return kit.Effect{
		Text:   fmt.Sprintf("remove %s, and delete the %d values that it has stored", strings.TrimSpace(in.Name), n),
		Counts: map[string]int{"values": n},
	}, err
}

// remove handles "module remove". The bot remains, as the author of its messages.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeFlags) (removed, error) {
	return removed(in), s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		g, err := find(v, in.Name)
		if err != nil {
			return err
		}
		if err := s.rows.Delete(ctx, g.ID); err != nil {
			return err
		}
		return s.change(ctx, a.Realm, audit.ModuleRemoved, g, nil)
	})
}
