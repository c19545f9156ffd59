package fiberhttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// servePolls is an environment variable that makes the test binary a server that holds requests for /events until a
// request for /wake. Its value selects parked or blocking polls.
const servePolls = "STOA_BENCH_POLLS"

// TestServePolls is not a test, but the server process of BenchmarkHeldPolls.
func TestServePolls(t *testing.T) {
	form := os.Getenv(servePolls)
	if form == "" {
		t.Skip("for BenchmarkHeldPolls")
	}
	q := newQueue()
	q.held = make(chan struct{}, 1<<20)
	q.events = strings.Repeat("x", 500)
	wake := func(context.Context, kit.Actor, kit.None) (kit.None, error) {
		q.wake()
		return kit.None{}, nil
	}
	free := func(context.Context, kit.Actor, kit.None) (kit.None, error) {
		debug.FreeOSMemory()
		return kit.None{}, nil
	}
	s := serve(t, []kit.Endpoint{
		kit.GET("/events", kit.Users, q.poll, ""), kit.GET("/wake", kit.Anyone, wake, ""),
		kit.GET("/free", kit.Anyone, free, ""),
	}, unlimited, func(_ *Config, d *Deps) { d.Log = slog.New(slog.DiscardHandler) })
	s.server.polls.parks = form == "parked"
	fmt.Println(s.addr)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark has ended
	os.Exit(0)
}

// BenchmarkHeldPolls reports the server's memory per held poll: initially, after three rounds of waking and polling
// again, and after freeing memory. It also reports the time until the last poll is woken.
func BenchmarkHeldPolls(b *testing.B) {
	for _, form := range []string{"plain", "parked"} {
		b.Run(form, func(b *testing.B) { benchmarkHeld(b, form) })
	}
}

func benchmarkHeld(b *testing.B, form string) {
	const n = 9_500 // leaves both processes within the usual limit on open files
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestServePolls$")
	cmd.Env = append(os.Environ(), servePolls+"="+form)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	addr = strings.TrimSpace(addr)
	call := func(path string) {
		res, err := http.Get("http://" + addr + "/api/v1/" + path)
		if err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close()
	}
	resident := func() float64 {
		f, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
		if err != nil {
			b.Skip("no /proc to read the memory from")
		}
		pages, _ := strconv.Atoi(strings.Fields(string(f))[1])
		return float64(pages*os.Getpagesize()) / 1024
	}
	call("wake")
	before := resident()
	conns, readers := make([]net.Conn, n), make([]*bufio.Reader, n)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", addr); err != nil {
			b.Fatal(err)
		}
		readers[i] = bufio.NewReaderSize(conns[i], 1024)
		defer conns[i].Close()
	}
	idle := (resident() - before) / n
	request := "GET /api/v1/events?queue_id=1&last_event_id=2 HTTP/1.1\r\nHost: " + addr + "\r\nAuthorization: " +
		basicAuth("alice@example.com", "alice") + "\r\nUser-Agent: bench/1.0\r\nCookie: " + strings.Repeat("c", 400) +
		"\r\n\r\n"
	ask := func() float64 {
		for _, c := range conns {
			if _, err := io.WriteString(c, request); err != nil {
				b.Fatal(err)
			}
		}
		time.Sleep(4 * time.Second)
		return (resident() - before) / n
	}
	for b.Loop() {
		b.ReportMetric(idle, "KiB-idle")
		b.ReportMetric(ask(), "KiB-first")
		var wakes time.Duration
		var later float64
		for range 3 {
			var all sync.WaitGroup
			for _, r := range readers {
				all.Go(func() {
					res, err := http.ReadResponse(r, nil)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
				})
			}
			time.Sleep(time.Second)
			start := time.Now()
			call("wake")
			all.Wait()
			wakes += time.Since(start)
			later = ask()
		}
		b.ReportMetric(later, "KiB-later")
		call("free")
		b.ReportMetric((resident()-before)/n, "KiB-freed")
		b.ReportMetric(float64(wakes.Milliseconds())/3, "wake-ms")
	}
}
