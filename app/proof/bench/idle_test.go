package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app"
	assembly "github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/standard"
)

// inProcess is a node that runs in the test's process with all standard modules, the system clock and its jobs.
type inProcess struct {
	b       testing.TB
	app     *app.Server
	queries atomic.Int64 // round trips to the database
}

// startNodes starts nodes that share a database, which contains a realm. It returns them with the owner's credentials.
func startNodes(b testing.TB, n int) (nodes []*inProcess, email, key string) {
	b.Helper()
	target := kittest.DatabaseURL(b)
	if target == kittest.Elsewhere {
		target = kittest.Postgres(b)
	} else {
		target = "sqlite:" + b.TempDir() + "/stoa.db"
	}
	data := b.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		one := &inProcess{b: b}
		db, err := bunstore.Open(b.Context(), bunstore.Config{URL: target, Observe: func(string) { one.queries.Add(1) }})
		if err != nil {
			b.Fatal(err)
		}
		one.app, err = app.New(b.Context(), app.Options{
			DB: db, Log: slog.New(slog.NewTextHandler(b.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
			ConfigText: "http: {rate_limits: {enabled: false}}", ConfigBase: configs.Local(),
			Set: map[string]string{
				"http.addr": "127.0.0.1:0", "database.url": target, "data_dir": data, "secret": strings.Repeat("s", 40),
			},
		}, standard.Modules()...)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := one.app.Stop(context.Background()); err != nil {
				b.Error(err)
			}
			_ = db.Close()
		})
		if err := one.app.Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
		if nodes = append(nodes, one); i > 0 {
			continue
		}
		realm, err := one.app.Ports.CreateFirstRealm(b.Context(), assembly.NewRealm{
			Name: "Idle", OwnerEmail: "owner@example.com", OwnerName: "Owner", OwnerPassword: "correct-horse-battery",
		})
		if err != nil {
			b.Fatal(err)
		}
		email, key = realm.Email, realm.Key
	}
	return nodes, email, key
}

// call sends a request as a user and returns the response.
func (n *inProcess) call(email, key, method, path string, form url.Values) map[string]any {
	n.b.Helper()
	out, err := n.try(email, key, method, path, form)
	if err != nil {
		n.b.Fatal(err)
	}
	return out
}

func (n *inProcess) try(email, key, method, path string, form url.Values) (map[string]any, error) {
	req, err := http.NewRequestWithContext(n.b.Context(), method, "http://"+n.app.Addr()+"/api/v1"+path,
		strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if method == http.MethodGet {
		req.URL.RawQuery, req.Body, req.ContentLength = form.Encode(), nil, 0
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(email, key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil || res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return out, nil
}

// listen registers a queue for messages, and holds a poll of it until a message arrives or the benchmark ends. The
// channel receives the time at which the poll was answered.
func (n *inProcess) listen(email, key string) <-chan time.Time {
	queue := n.call(email, key, http.MethodPost, "/register", url.Values{"event_types": {`["message"]`}})["queue_id"]
	answered := make(chan time.Time, 1)
	go func() {
		_, err := n.try(email, key, http.MethodGet, "/events",
			url.Values{"queue_id": {fmt.Sprint(queue)}, "last_event_id": {"-1"}})
		if err == nil {
			answered <- time.Now()
		}
	}()
	return answered
}

// BenchmarkIdle measures what a node costs while nobody does anything except wait for events.
func BenchmarkIdle(b *testing.B) {
	const settle, span = 15 * time.Second, 30 * time.Second
	counts := []int{1}
	if storetest.Postgres() {
		counts = append(counts, 3)
	}
	for _, n := range counts {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes, email, key := startNodes(b, n)
			for _, one := range nodes {
				one.listen(email, key)
			}
			time.Sleep(settle)
			var spent time.Duration
			var queries int64
			for b.Loop() {
				cpu := cpuTime(b)
				for _, one := range nodes {
					one.queries.Store(0)
				}
				time.Sleep(span)
				spent += cpuTime(b) - cpu
				for _, one := range nodes {
					queries += one.queries.Load()
				}
			}
			per := span.Seconds() * float64(b.N) * float64(n)
			report(b, "queries/s", float64(queries)/per)
			report(b, "%CPU", 100*spent.Seconds()/per)
			report(b, "ns/op", 0)
		})
	}
}

// cpuTime returns the CPU time that this process has used.
func cpuTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkOtherNode measures the time from sending a message to the answer of a waiting poll, on the node that
// received the message and on another one.
func BenchmarkOtherNode(b *testing.B) {
	if !storetest.Postgres() {
		b.Skip("SQLite supports a single node")
	}
	nodes, email, key := startNodes(b, 2)
	nodes[0].call(email, key, http.MethodPost, "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	delay := func(at *inProcess) time.Duration {
		answered := at.listen(email, key)
		time.Sleep(50 * time.Millisecond) // until the poll is held
		sent := time.Now()
		nodes[0].call(email, key, http.MethodPost, "/messages",
			url.Values{"type": {"channel"}, "to": {"proof"}, "topic": {"t"}, "content": {"hello"}})
		return (<-answered).Sub(sent)
	}
	var own, other []time.Duration
	for b.Loop() {
		for range 100 {
			own, other = append(own, delay(nodes[0])), append(other, delay(nodes[1]))
		}
	}
	report(b, "own-ms", milliseconds(median(own)))
	report(b, "other-ms", milliseconds(median(other)))
	report(b, "more-ms", milliseconds(median(other)-median(own)))
}
