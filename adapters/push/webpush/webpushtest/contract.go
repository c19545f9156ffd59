package webpushtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/ports"
)

// Contract tests a ports.WebPush. open returns one that may reach 127.0.0.1 at any port from 1024, and trusts the
// certificates in a file.
func Contract(t *testing.T, open func(t *testing.T, caFile string) ports.WebPush) {
	t.Helper()
	b := NewBrowser(t)
	var mu sync.Mutex
	got := map[string]string{} // payload by topic
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		status := map[string]int{
			"/device": http.StatusCreated, "/gone": http.StatusGone, "/missing": http.StatusNotFound,
			"/busy": http.StatusTooManyRequests, "/out": http.StatusBadGateway, "/never": http.StatusRequestEntityTooLarge,
			"/moved": http.StatusTemporaryRedirect,
		}[r.URL.Path]
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "/device")
		if status == http.StatusCreated && err == nil {
			mu.Lock()
			got[r.Header.Get("Topic")] = string(b.Open(body)) + " " + r.Header.Get("Ttl") + " " + r.Header.Get("Urgency")
			mu.Unlock()
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, file)
	if !p.Configured() {
		t.Fatal("it is not configured")
	}
	to := func(endpoint string) push.Subscription {
		t.Helper()
		at, err := push.ReadSubscription(b.Subscription(endpoint))
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if err := p.Admit(to(s.URL + "/device")); err != nil {
		t.Error(err)
	}
	for _, endpoint := range []string{"https://10.0.0.1/x", "https://[fe80::1]/x", "https://192.168.1.1:8443/x"} {
		if err := p.Admit(to(endpoint)); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wants := []struct {
		path string
		want push.WebResult
	}{
		{"/device", push.WebResult{Outcome: push.Delivered}}, {"/gone", push.WebResult{Outcome: push.Dead}},
		{"/missing", push.WebResult{Outcome: push.Dead}},
		{"/busy", push.WebResult{Outcome: push.Later, Wait: 7 * time.Second}},
		{"/out", push.WebResult{Outcome: push.Later, Wait: 7 * time.Second}},
		{"/never", push.WebResult{Outcome: push.Refused}}, {"/moved", push.WebResult{Outcome: push.Refused}},
		{"/device", push.WebResult{Outcome: push.Delivered}},
	}
	var all []push.WebNotification
	for i, w := range wants {
		all = append(all, push.WebNotification{
			To: to(s.URL + w.path), Payload: []byte(`{"n":` + strings.Repeat("1", i+1) + `}`), TTL: time.Hour,
			Topic: strings.Repeat("t", i+1), Quiet: i == 0,
		})
	}
	results := p.Deliver(t.Context(), key, all)
	if len(results) != len(all) {
		t.Fatalf("%d results of %d notifications", len(results), len(all))
	}
	for i, w := range wants {
		if results[i] != w.want {
			t.Errorf("%s: %+v, want %+v", w.path, results[i], w.want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 2 || got["t"] != `{"n":1} 3600 normal` || got["tttttttt"] != `{"n":11111111} 3600 high` {
		t.Errorf("the device has %q", got)
	}
}
