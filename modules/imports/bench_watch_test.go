package imports_test

import (
	"bufio"
	"fmt"
	neturl "net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// use is what an import has used.
type use struct {
	cpu    time.Duration // of this process, and of PostgreSQL for its database
	memory uint64        // bytes, the maximum
}

// watchUse samples the memory that the runtime has from the system, and the CPU time of the processes of PostgreSQL
// that serve a database, until the returned function is called.
func watchUse(b *testing.B, url string) func() use {
	b.Helper()
	own, database := cpuTime(b), ""
	if at, err := neturl.Parse(url); err == nil && strings.HasPrefix(at.Scheme, "postgres") {
		database = strings.TrimPrefix(at.Path, "/")
	}
	done, end := make(chan struct{}), make(chan use)
	go func() {
		var m runtime.MemStats
		var u use
		servers := map[string]time.Duration{} // by process
		before := serverTimes(database)
		for {
			runtime.ReadMemStats(&m)
			u.memory = max(u.memory, m.Sys-m.HeapReleased)
			for process, cpu := range serverTimes(database) {
				servers[process] = cpu
			}
			select {
			case <-done:
				for process, cpu := range servers {
					u.cpu += cpu - before[process]
				}
				end <- u
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() use {
		close(done)
		u := <-end
		u.cpu += cpuTime(b) - own
		return u
	}
}

// serverTimes returns the CPU times of the processes of PostgreSQL that serve a database, whose names contain its name.
func serverTimes(database string) map[string]time.Duration {
	if database == "" {
		return nil
	}
	out := map[string]time.Duration{}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, at := range all {
		line, err := os.ReadFile(at)
		if err != nil || !strings.HasPrefix(string(line), "postgres:") || !strings.Contains(string(line), " "+database+" ") {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(at), "stat"))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			out[filepath.Dir(at)] = time.Duration(user+system) * (time.Second / 100) // ticks of Linux
		}
	}
	return out
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
