package imports_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// BenchmarkImport imports an archive of Mattermost, with one file per 50 messages. make bench-import runs it with a
// million messages: STOA_IMPORT_MESSAGES.
func BenchmarkImport(b *testing.B) {
	n := 5000
	if text := os.Getenv("STOA_IMPORT_MESSAGES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	archive := generated(b, n)
	for range b.N {
		url := kittest.DatabaseURL(b)
		if url == kittest.Memory {
			url = "sqlite:" + filepath.Join(b.TempDir(), "stoa.db")
		}
		s := start(b, url)
		cpu, began := cpuTime(b), time.Now()
		peak := watchMemory()
		r, err := s.command(b.Context(), "import mattermost", map[string]any{"Archive": archive, "Realm": "large"})
		took := time.Since(began)
		memory := peak()
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range r.Counts {
			if c.Kind == "messages" && c.Imported < n || c.Kind == "files" && c.Imported < n/50-1 {
				b.Errorf("%+v", c)
			}
		}
		b.ReportMetric(float64(n)/took.Seconds(), "messages/s")
		b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(n), "cpu-µs/message")
		b.ReportMetric(float64(memory>>20), "peak-MiB")
		if memory > 1<<30 {
			b.Error("the import needs more than 1 GiB of memory")
		}
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchMemory samples the memory that the runtime has from the system until the returned function is called, which
// returns the maximum.
func watchMemory() func() uint64 {
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var m runtime.MemStats
		var max uint64
		for {
			runtime.ReadMemStats(&m)
			if used := m.Sys - m.HeapReleased; used > max {
				max = used
			}
			select {
			case <-done:
				most <- max
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(done); return <-most }
}

// generated writes an archive with n messages of 200 people in 100 channels, a tenth of them replies.
func generated(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "import.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line(`{"type":"version","version":1}`)
	line(`{"type":"team","team":{"name":"acme","display_name":"Acme"}}`)
	var in []string
	for i := range 100 {
		line(`{"type":"channel","channel":{"team":"acme","name":"c%d","display_name":"channel %d","type":"O"}}`, i, i)
		in = append(in, fmt.Sprintf(`{"name":"c%d"}`, i))
	}
	for i := range 200 {
		line(`{"type":"user","user":{"username":"u%d","email":"u%d@example.com","roles":"system_user system_admin",`+
			`"teams":[{"name":"acme","channels":[%s]}]}}`, i, i, strings.Join(in, ","))
	}
	const text = "We plant them **tomorrow**, before the rain; see https://example.com/garden for what is left :tada:"
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for i := 0; i < n; i++ {
		attached := ""
		if i%50 == 0 {
			name := fmt.Sprintf("file-%d.txt", i)
			if err := os.WriteFile(filepath.Join(dir, "data", name), []byte(strings.Repeat(name, 50)), 0o600); err != nil {
				b.Fatal(err)
			}
			attached = fmt.Sprintf(`,"attachments":[{"path":%q}]`, name)
		}
		replies := ""
		if i%10 == 8 && i+1 < n {
			replies = fmt.Sprintf(`,"replies":[{"user":"u%d","message":"@u%d yes %d","create_at":%d}]`, (i+7)%200, i%200, i,
				at+int64(i+1)*1000)
		}
		line(`{"type":"post","post":{"team":"acme","channel":"c%d","user":"u%d","message":"%d %s","create_at":%d%s%s}}`,
			i%100, i%200, i, text, at+int64(i)*1000, attached, replies)
		if replies != "" {
			i++
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}
