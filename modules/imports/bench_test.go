package imports_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Budgets of an import on two cores.
const (
	budgetMemory   = 1 << 30 // bytes
	budgetSQLite   = 5000    // messages per second
	budgetPostgres = 2000
	budgetCores    = 2

	bytesPerMessage = 6 << 10 // of disk: archive, files, sorted runs, database and its log; measured are 2 KiB
)

// BenchmarkImport imports an archive of Mattermost, with one file per 50 messages, and fails if that exceeds a budget.
// The budget of time holds for CPU time, too, of all cores: then a machine on which others work is no failure. make
// bench-import runs it with a million messages: STOA_IMPORT_MESSAGES.
func BenchmarkImport(b *testing.B) {
	n := 5000
	if text := os.Getenv("STOA_IMPORT_MESSAGES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	requireSpace(b, int64(n)*bytesPerMessage)
	archive := generated(b, n)
	for range b.N {
		url := kittest.DatabaseURL(b)
		database, budget := "PostgreSQL", float64(budgetPostgres)
		if url == kittest.Memory {
			url = "sqlite:" + filepath.Join(b.TempDir(), "stoa.db")
			database, budget = "SQLite", budgetSQLite
		} else {
			url = kittest.Real(b, url)
		}
		s := start(b, url)
		used := watchUse(b, url)
		began := time.Now()
		r := s.importWatched(b, archive, began)
		took := time.Since(began)
		u := used()
		for _, c := range r.Counts {
			if c.Kind == "messages" && c.Imported < n || c.Kind == "files" && c.Imported < n/50-1 {
				b.Errorf("%+v", c)
			}
		}
		rate, each := float64(n)/took.Seconds(), float64(u.cpu.Microseconds())/float64(n)
		b.ReportMetric(rate, "messages/s")
		b.ReportMetric(each, "cpu-µs/message")
		b.ReportMetric(float64(u.memory>>20), "peak-MiB")
		allowed := budgetCores * 1e6 / budget
		var table strings.Builder
		w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "\n%s, %d messages, %d files\tmeasured\tbudget\n", database, n, n/50)
		fmt.Fprintf(w, "time\t%v\t\n", took.Round(time.Second/10))
		fmt.Fprintf(w, "messages per second\t%.0f\t%.0f, or\n", rate, budget)
		fmt.Fprintf(w, "CPU time per message\t%.0f µs\t%.0f µs\n", each, allowed)
		fmt.Fprintf(w, "peak memory\t%d MiB\t%d MiB\n", u.memory>>20, budgetMemory>>20)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintln(os.Stderr, table.String())
		if u.memory > budgetMemory {
			b.Error("the import needs more memory than its budget")
		}
		if rate < budget && each > allowed {
			b.Error("the import takes more time than its budget, also in CPU time")
		}
	}
}

// requireSpace ends the benchmark before it fills the disk.
func requireSpace(b *testing.B, need int64) {
	b.Helper()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(os.TempDir(), &fs); err != nil {
		b.Fatal(err)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < need {
		b.Fatalf("%s has %d MiB of free space; needed are %d MiB", os.TempDir(), free>>20, need>>20)
	}
}

// importWatched imports an archive, and prints how far it is every ten seconds.
func (s *server) importWatched(b *testing.B, archive string, began time.Time) result {
	b.Helper()
	c, ok := s.Ports.Collected.Command("import mattermost")
	if !ok {
		b.Fatal("no command")
	}
	in, err := json.Marshal(map[string]any{"Archive": archive, "Realm": "large"})
	if err != nil {
		b.Fatal(err)
	}
	const pause = 10 * time.Second
	next, step := began.Add(pause), ""
	ctx := kit.WithProgress(b.Context(), func(p kit.Progress) {
		if now := time.Now(); p.Phase != step || now.After(next) {
			step, next = p.Phase, now.Add(pause)
			fmt.Fprintf(os.Stderr, "%6.0fs  %s: %d of %d\n", now.Sub(began).Seconds(), p.Phase, p.Done, p.Total)
		}
	})
	var out strings.Builder
	if err := c.Run(ctx, user.Actor{System: true}, in, &out); err != nil {
		b.Fatal(err)
	}
	var r result
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		b.Fatal(err)
	}
	return r
}
