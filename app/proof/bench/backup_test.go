package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/domain/message"
)

// BenchmarkBackup measures backups of a realm with 100,000 messages, or a million with STOA_BENCH_LARGE: how long
// writing, verifying and restoring one takes, and how long a writer waited meanwhile, compared with before.
func BenchmarkBackup(b *testing.B) {
	sizes := grownSizes()
	size := sizes[len(sizes)-1]
	g := newGrown(b, size)
	g.RunJob("messages.search")
	dir := filepath.Join(b.TempDir(), "backups")
	place, err := g.App.Folder(dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		before := g.writing(b, func() { time.Sleep(10 * time.Second) })
		var written *backup.Written
		begun := time.Now()
		during := g.writing(b, func() {
			source, err := g.App.BackupSource()
			if err != nil {
				b.Fatal(err)
			}
			if written, err = backup.Write(b.Context(), source, backup.To{Place: place}); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(time.Since(begun).Seconds(), "backup-s")
		b.ReportMetric(before.Seconds()*1e3, "longest-send-before-ms")
		b.ReportMetric(during.Seconds()*1e3, "longest-send-ms")
		b.ReportMetric(float64(written.Manifest.Bytes())/1e6, "MB")
		from := backup.From{Place: place, Set: written.Set, Progress: func(string, int, int) {}}
		begun = time.Now()
		if v, err := backup.Verify(b.Context(), from); err != nil || len(v.Problems) > 0 {
			b.Fatal(v, err)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "verify-s")
		begun = time.Now()
		to := g.App.RestoreTarget()
		url := "sqlite:" + filepath.Join(b.TempDir(), "restored.db")
		if storetest.Postgres() {
			url = storetest.PostgresURL(b)
		}
		to.DB = storetest.OpenURL(b, bunstore.Config{URL: url})
		to.Blobs, to.DataDir = nil, b.TempDir()
		to.Finish = func(context.Context, *backup.Manifest, string) error { return nil }
		if _, err := backup.Restore(b.Context(), from, to); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "restore-s")
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// writing runs fn while a message is sent every 5 ms, and returns how long the slowest one took.
func (g *grown) writing(b *testing.B, fn func()) (longest time.Duration) {
	b.Helper()
	done := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			begun := time.Now()
			_, err := g.Ports.Sender.Send(b.Context(), g.Actor("adam"),
				message.Outgoing{Channel: g.own[0], Topic: "busy", Content: "hello"})
			if err != nil {
				b.Error(err)
				return
			}
			longest = max(longest, time.Since(begun))
		}
	})
	fn()
	close(done)
	sending.Wait()
	return longest
}
