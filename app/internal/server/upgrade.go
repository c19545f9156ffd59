package server

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/nodes"
)

// Upgrade describes what upgrading a server to this version would mean.
type Upgrade struct {
	Target     string        `json:"target"`  // this version
	Running    []nodes.Info  `json:"running"` // processes that use the database
	Pending    []PendingStep `json:"pending"` // missing migrations
	SideBySide bool          `json:"side_by_side"`
	Seconds    int           `json:"estimated_seconds"` // of the migrations and the copy, at most about this
	Disk       uint64        `json:"disk_bytes"`        // needed meanwhile, about
	Deprecated []string      `json:"deprecated"`        // settings with former names
	Downgrade  Downgrade     `json:"downgrade"`
	Problems   []string      `json:"problems"`
}

// PendingStep is a migration that is missing.
type PendingStep struct {
	Name  string        `json:"name"`  // module/name
	Kind  bunstore.Kind `json:"kind"`  // expand or contract
	Waits bool          `json:"waits"` // until stoa migrate finish
	Text  string        `json:"text"`  // what it does, and what it locks
}

// Downgrade states whether an earlier version could use the database after this version was started.
type Downgrade struct {
	Possible bool   `json:"possible"`
	Text     string `json:"text"`
}

// Cautious guesses of what a server with slow disks achieves, in bytes per second.
const (
	copySpeed    = 100 << 20
	migrateSpeed = 20 << 20
)

// CheckUpgrade finds out what an upgrade to this version would mean. It changes nothing.
func (s *Server) CheckUpgrade(ctx context.Context) (Upgrade, error) {
	u := Upgrade{
		Target: s.options.Version, Deprecated: append([]string{}, s.Config.Warnings...),
		Pending: []PendingStep{}, Problems: []string{}, SideBySide: true,
	}
	var err error
	if u.Running, err = nodes.List(ctx, s.db); err != nil {
		return u, err
	}
	if err := s.db.CheckRestored(ctx); err != nil {
		u.Problems = append(u.Problems, err.Error())
	}
	all := s.Migrations()
	steps, err := s.db.Migrations(ctx, all)
	if err != nil {
		u.Problems = append(u.Problems, err.Error())
		u.Downgrade.Text = "this version is the older one"
		return u, nil
	}
	steps = slices.DeleteFunc(steps, func(p bunstore.Step) bool { return p.Applied })
	for _, p := range steps {
		u.Pending = append(u.Pending, PendingStep{p.String(), p.Header.Kind, p.Waits(), p.Header.Text})
		u.SideBySide = u.SideBySide && (!p.Breaks() || p.Waits())
	}
	if u.Downgrade, err = s.downgrade(ctx, u); err != nil {
		return u, err
	}
	return u, s.estimate(ctx, &u, steps)
}

// downgrade finds out whether an earlier version could use the database.
func (s *Server) downgrade(ctx context.Context, u Upgrade) (Downgrade, error) {
	if !u.SideBySide {
		return Downgrade{false, "this version must change what earlier versions need; make a backup before"}, nil
	}
	if slices.ContainsFunc(u.Pending, func(p PendingStep) bool { return p.Waits }) {
		return Downgrade{true, "until stoa migrate finish"}, nil
	}
	records, err := s.db.Records(ctx)
	last := bunstore.Record{}
	for _, r := range records {
		if r.Kind == bunstore.Contract && r.AppliedAt > last.AppliedAt {
			last = r
		}
	}
	switch last.Version {
	case "":
		return Downgrade{true, "to versions with the same migrations of the kind contract"}, err
	case s.options.Version:
		return Downgrade{false, "this version has changed what earlier versions need; they need a backup from before"}, err
	}
	return Downgrade{true, "to " + last.Version + "; versions before it cannot use the database"}, err
}

// estimate estimates how long the steps take, and how much of the disk they need.
func (s *Server) estimate(ctx context.Context, u *Upgrade, steps []bunstore.Step) error {
	if len(steps) == 0 {
		return nil
	}
	work, err := s.db.Work(ctx, s.Migrations(), steps)
	if err != nil {
		return err
	}
	u.Disk = uint64(max(0, work))
	took := time.Duration(work) * time.Second / migrateSpeed
	if file := s.db.File(); file != "" {
		size, err := sizeOf(file)
		if err != nil {
			return err
		}
		if s.Config.Settings.Database.CopyBefore {
			u.Disk += size + spareDisk
			took += time.Duration(size) * time.Second / copySpeed
		}
		if free, known := freeBytes(filepath.Dir(file)); known && free < u.Disk {
			u.Problems = append(u.Problems, fmt.Sprintf("the upgrade needs about %d MiB, but only %d MiB are free on the disk "+
				"of %s", u.Disk>>20, free>>20, filepath.Dir(file)))
		}
	}
	u.Seconds = int((took + time.Second - 1) / time.Second)
	return nil
}
