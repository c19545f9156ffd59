package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"filippo.io/age"

	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// schedule is when backups are made: every day at a time in UTC, or at an interval.
type schedule struct {
	daily bool
	at    time.Duration // since midnight
	every time.Duration
}

const timeOfDay = "15:04"

func parseSchedule(text string) (schedule, error) {
	if at, err := time.Parse(timeOfDay, text); err == nil {
		return schedule{daily: true, at: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute}, nil
	}
	every, err := time.ParseDuration(text)
	if err != nil || every < time.Minute {
		return schedule{}, fmt.Errorf("want a time of day in UTC such as 03:30, or an interval of at least a minute such as "+
			"6h, got %q", text)
	}
	return schedule{every: every}, nil
}

// latest returns the latest time at or before now at which a backup was to be made.
func (s schedule) latest(now time.Time) time.Time {
	today := now.UTC().Truncate(24 * time.Hour).Add(s.at)
	if today.After(now) {
		return today.Add(-24 * time.Hour)
	}
	return today
}

// problems returns the errors in the settings, each with its key.
func (b *Backup) problems() []error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if b.Target == "-" || strings.HasSuffix(b.Target, ".tar") {
		bad("backup.target: want a folder or s3://bucket/prefix, which can hold several backups")
	}
	if b.Schedule != "" {
		if _, err := parseSchedule(b.Schedule); err != nil {
			bad("backup.schedule: %w", err)
		}
		if b.Target == "" {
			bad("backup.target: is empty; name a folder or s3://bucket/prefix for the scheduled backups")
		}
	}
	if b.Keep != "" {
		if _, err := backup.ParseKeep(b.Keep); err != nil {
			bad("backup.keep: %w", err)
		}
	}
	for _, key := range b.Age {
		if _, err := age.ParseX25519Recipient(key); err != nil {
			bad("backup.age: %q is not a public key of age", key)
		}
	}
	return all
}

// backupTime is the maximum duration of a scheduled backup.
const backupTime = 12 * time.Hour

// backupJobs returns the job that makes scheduled backups, if any.
func (s *Server) backupJobs() []kit.Job {
	set := s.Config.Settings.Backup
	if set.Schedule == "" {
		return nil
	}
	when, err := parseSchedule(set.Schedule)
	if err != nil {
		return nil // Validate has reported it
	}
	if when.daily {
		when.every = time.Minute
	}
	j := &backupJob{Server: s, when: when}
	j.measure()
	return []kit.Job{{Name: "backup", Every: when.every, Timeout: backupTime, Run: j.run}}
}

type backupJob struct {
	*Server
	when   schedule
	newest time.Time // when the newest backup known to this process was made

	succeeded atomic.Int64 // when the newest complete backup was made, in Unix seconds; 0: unknown
	took      atomic.Int64 // the duration of the last one that this process made
	stored    atomic.Int64 // the bytes that it stored
}

// measure creates the instruments of scheduled backups. Each shows a value once that is known to this process.
func (j *backupJob) measure() {
	show := func(name, help string, value *atomic.Int64, unit float64) {
		j.metrics.Gauge(ports.Instrument{Name: name, Help: help}, func(_ context.Context, set ports.SetValue) error {
			if v := value.Load(); v != 0 {
				set(float64(v) * unit)
			}
			return nil
		})
	}
	show("stoa_backup_last_success_timestamp_seconds", "When the last complete backup began.", &j.succeeded, 1)
	show("stoa_backup_duration_seconds", "Duration of the last backup.", &j.took, time.Nanosecond.Seconds())
	show("stoa_backup_bytes", "Bytes that the last backup stored, without what earlier ones had stored.", &j.stored, 1)
}

func (j *backupJob) run(ctx context.Context) error {
	now := j.options.Clock.Now()
	if j.when.daily && !j.newest.Before(j.when.latest(now)) {
		return nil
	}
	written, err := j.backup(ctx, now)
	if err == nil && written != nil {
		m := written.Manifest
		j.took.Store(int64(m.Ended.Sub(m.Began)))
		j.stored.Store(written.NewBytes)
		j.Log.Info("backup complete", "set", written.Set, "files", m.Files.Count, "missing", m.Files.Missing,
			"new_bytes", written.NewBytes, "took", m.Ended.Sub(m.Began).Round(time.Second))
	}
	if err == nil {
		return nil
	}
	j.newest = now // the next attempt is at the next time
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(fmt.Errorf("backup to %s: %w", j.Config.Settings.Backup.Target, err), j.tellOwners(ctx, err))
}

// backup makes a backup, unless a daily one is not due.
func (j *backupJob) backup(ctx context.Context, now time.Time) (*backup.Written, error) {
	set := j.Config.Settings.Backup
	place, err := j.Place(set.Target)
	if err != nil {
		return nil, err
	}
	if j.when.daily {
		name, err := backup.Find(ctx, place, "")
		if err != nil && !errors.Is(err, backup.ErrNone) {
			return nil, err
		}
		j.found(backup.TimeOf(name))
		if !j.newest.Before(j.when.latest(now)) {
			return nil, nil
		}
	}
	source, err := j.BackupSource()
	if err != nil {
		return nil, err
	}
	written, err := backup.Write(ctx, source, backup.To{Place: place, Recipients: set.Age})
	if err != nil {
		return nil, err
	}
	j.found(written.Manifest.Began)
	if err := j.RecordBackup(ctx, set.Target, written); err != nil {
		return nil, err
	}
	if set.Keep == "" {
		return written, nil
	}
	keep, err := backup.ParseKeep(set.Keep)
	if err == nil {
		_, err = backup.Prune(ctx, keep, place, now)
	}
	return written, err
}

// found records when a complete backup was made.
func (j *backupJob) found(at time.Time) {
	j.newest = at
	if !at.IsZero() {
		j.succeeded.Store(at.Unix())
	}
}

// tellOwners informs the owners of all organizations by email that a backup has failed.
func (j *backupJob) tellOwners(ctx context.Context, failed error) error {
	p := j.Ports
	if p.Mailer == nil || !p.Mailer.Delivers() {
		return nil
	}
	realms, err := p.Realms.Active(ctx)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, r := range realms {
		v, err := p.Directory.View(ctx, r)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for u := range v.Users() {
			if u.Role != user.Owner || !u.Active || u.IsBot() || told[u.DeliveryEmail] {
				continue
			}
			told[u.DeliveryEmail] = true
			err = errors.Join(err, p.Mailer.Send(ctx, mail.Message{
				ID: rand.Text(), To: u.DeliveryEmail, Subject: "The backup of your Stoa server failed",
				Text: fmt.Sprintf("Hello,\n\nthe scheduled backup of %s has failed:\n\n%s\n\nThe log of the server tells more. "+
					"The next attempt is at the next scheduled time.\n", j.URL(), failed),
			}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
