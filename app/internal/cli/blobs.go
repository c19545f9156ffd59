package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

type blobs struct {
	Check blobsCheck `cmd:"" help:"List missing files, which exist only in the database, and unnamed ones, which exist only in the store."`
	Move  blobsMove  `cmd:"" help:"Move all files to another store while the server runs."`
}

type blobsCheck struct {
	Recent time.Duration `default:"1h" help:"Minimum age of unnamed files to list: newer ones may be about to be recorded."`
}

// Help returns the long text of --help.
func (blobsCheck) Help() string {
	return "Prints a line for each file: missing KEY, or unnamed KEY with its size. Exits with 1 if there are any. " +
		"Changes nothing."
}

// Run compares the files that the database refers to with those in the store.
func (c *blobsCheck) Run(e *env) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	defer e.end(s)
	b := s.Ports.Blobs
	if b == nil {
		return errors.New("no file store is configured; see adapters.blob")
	}
	if err := b.Check(e.ctx); err != nil {
		return reason(err)
	}
	before := s.Ports.Clock.Now().Add(-c.Recent)
	missing, unnamed, bytes := 0, 0, int64(0)
	files, err := s.CompareBlobs(e.ctx, server.BlobReport{
		Missing: func(key string) {
			missing++
			e.printf("missing %s\n", key)
		},
		Unnamed: func(b blob.Entry) {
			if b.Modified.Before(before) {
				unnamed, bytes = unnamed+1, bytes+b.Size
				e.printf("unnamed %s (%s)\n", b.Key, bytesText(b.Size))
			}
		},
	})
	if err != nil {
		return reason(err)
	}
	e.printf("%d files, %d missing, %d unnamed (%s)\n", files, missing, unnamed, bytesText(bytes))
	if missing+unnamed > 0 {
		return errors.New("the database and the store differ")
	}
	return nil
}

// reason returns the cause of an error whose own text only asks the user to try again.
func reason(err error) error {
	var e *errs.Error
	if errors.As(err, &e) && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}

type blobsMove struct{}

// Help returns the long text of --help.
func (blobsMove) Help() string {
	return `Set adapters.blob to the new store, with the section of the old one as moving_from, and restart the server. Run
this command with the same configuration, and then remove moving_from. Any two stores will do, also two buckets.
All files stay readable. If the move is interrupted, run the command again to continue it.

With several nodes, first restart all of them with the old store in adapters.blob and the new one as its moving_from,
and then the other way round.`
}

// Run moves all files.
func (blobsMove) Run(e *env) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	defer e.end(s)
	m, ok := s.Ports.Blobs.(ports.BlobMover)
	if !ok {
		return errors.New(
			"the configuration has only one file store; name the one that has the files in adapters.blob.moving_from",
		)
	}
	if err := s.Ports.Blobs.Check(e.ctx); err != nil {
		return reason(err)
	}
	percent := -1
	var last blob.Moved
	err = m.Move(e.ctx, func(p blob.Moved) {
		last = p
		if now := int(100 * int64(p.Files) / int64(max(1, p.OfFiles))); now != percent {
			percent = now
			e.printf("%d %%: %d of %d files, %s of %s\n", now, p.Files, p.OfFiles, bytesText(p.Bytes), bytesText(p.OfBytes))
		}
	})
	if err != nil {
		return fmt.Errorf(
			"%d of %d files have been moved; run the command again to continue: %w",
			last.Files,
			last.OfFiles,
			reason(err),
		)
	}
	e.printf("done: %d files, %s\n", last.Files, bytesText(last.Bytes))
	return nil
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
