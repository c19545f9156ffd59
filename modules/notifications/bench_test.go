package notifications_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const manyDevices = 10_000

// sink is a relay that accepts and counts all notifications.
func sink(b *testing.B) (url string, taken *atomic.Int64) {
	taken = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Requests []json.RawMessage `json:"push_requests"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in) // registrations are forms
		taken.Add(int64(len(in.Requests)))
		_, _ = io.WriteString(w, `{"result":"success","msg":"","android_successfully_sent_count":1,
			"apple_successfully_sent_count":0,"delete_token_ids":[]}`)
	}))
	b.Cleanup(s.Close)
	return s.URL, taken
}

// crowd starts a server with 10,000 users in the channel general. If relay is not empty, each user has a device.
func crowd(b *testing.B, relay string, modules ...kit.Module) *kittest.Server {
	b.Helper()
	config := "http: {rate_limits: {enabled: false}}\n"
	if relay != "" {
		config += fmt.Sprintf("adapters: {push: {use: relay, url: %q, server_id: server, server_key: key}}", relay)
	}
	s := kittest.StartWith(b, kittest.Options{Config: config}, modules...)
	by := user.Actor{Realm: s.Realm, System: true}
	var ids []user.ID
	emails := map[user.ID]string{}
	for len(ids) < manyDevices { // 100 per transaction
		made := len(ids)
		s.Do(func(ctx context.Context) error {
			ids = ids[:made]
			for range min(100, manyDevices-len(ids)) {
				email := fmt.Sprintf("p%d@example.com", len(ids))
				id, err := s.Ports.Accounts.Create(ctx, by, ports.NewUser{
					Email: email, FullName: fmt.Sprintf("Person %d", len(ids)), Role: user.Member,
					NoDefaultChannels: true,
				})
				if err != nil {
					return err
				}
				ids, emails[id] = append(ids, id), email
			}
			return nil
		})
	}
	for some := range slices.Chunk(ids, 500) {
		text, _ := json.Marshal(some)
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals", string(text),
			"send_new_subscription_messages", "false").OK()
	}
	if relay == "" {
		return s
	}
	var clients sync.WaitGroup
	for part := range slices.Chunk(ids, manyDevices/8) {
		clients.Go(func() {
			for _, id := range part {
				device(b, s, by, id, emails[id])
			}
		})
	}
	clients.Wait()
	s.RunJob("push.forward")
	return s
}

func device(b *testing.B, s *kittest.Server, by user.Actor, id user.ID, email string) {
	key, err := s.Ports.Accounts.IssueKey(b.Context(), by, id)
	if err != nil {
		b.Error(err)
		return
	}
	c := s.WithKey(email, key)
	d := c.Do("POST /register_client_device").OK().Int("device_id")
	name := strconv.FormatInt(d, 10)
	c.Do("POST /mobile_push/register", "device_id", name, "push_key_id", "1", "push_key", pushKey(name),
		"token_kind", "fcm", "token_id", tokenID(name), "bouncer_public_key", "a2V5",
		"encrypted_push_registration", "c2VhbGVk").OK()
}

// BenchmarkNotifyAll measures how long notifications of a message to @all take for 10,000 users with a device each,
// from the decision until the relay has accepted them all, and how much they slow down sending.
func BenchmarkNotifyAll(b *testing.B) {
	url, taken := sink(b)
	with := crowd(b, url, modules()...)
	without := crowd(b, "", slices.DeleteFunc(modules(), func(m kit.Module) bool {
		return slices.Contains([]string{"notifications", "push"}, m.Name)
	})...)
	post := func(s *kittest.Server, text string) time.Duration {
		begun := time.Now()
		s.As("olga").Do("POST /messages", "type", "channel", "to", "general", "topic", "t", "content", text).OK()
		return time.Since(begun)
	}
	for range 50 {
		post(with, "hello")
		post(without, "hello")
	}
	with.RunJob("notifications.judge notifications")
	var sends, bare []time.Duration
	var spent time.Duration
	var peak uint64
	taken.Store(0)
	for b.Loop() {
		for range 200 {
			sends, bare = append(sends, post(with, "hello")), append(bare, post(without, "hello"))
		}
		with.RunJob("notifications.judge notifications")
		post(with, "@**all** dinner")
		stop := watch(&peak)
		begun := time.Now()
		with.RunJob("notifications.judge notifications")
		with.RunJob("push.push notifications")
		spent += time.Since(begun)
		stop()
	}
	if n := taken.Load(); n != int64(b.N*manyDevices) {
		b.Fatalf("the relay took %d notifications of %d messages", n, b.N)
	}
	slices.Sort(sends)
	slices.Sort(bare)
	b.ReportMetric(float64(taken.Load())/spent.Seconds(), "notifications/s")
	b.ReportMetric(float64(peak)/(1<<20), "MiB-growth")
	b.ReportMetric(float64(sends[len(sends)/2])/float64(time.Millisecond), "send-ms")
	b.ReportMetric(float64(sends[len(sends)/2])/float64(bare[len(bare)/2]), "send×without")
}

// watch records the largest growth of the heap until stop is called.
func watch(peak *uint64) (stop func()) {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > before.HeapAlloc {
				*peak = max(*peak, now.HeapAlloc-before.HeapAlloc)
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-over }
}
