package uploads_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// setQuota sets the organization's quota.
func (w *testServer) setQuota(n int) {
	w.T.Helper()
	if err := w.settings.Set(w.T.Context(), w.Realm, "upload_quota_mib", &n); err != nil {
		w.T.Fatal(err)
	}
}

// exempt makes members owners, who may use the whole quota.
func (w *testServer) exempt(names ...string) {
	w.T.Helper()
	for _, n := range names {
		w.As("olga").Do(fmt.Sprintf("PATCH /users/%d", w.UserID(n)), "role", "100").OK()
	}
	w.Skip()
}

// Unfinished uploads reserve their full size until they are canceled or expire, so that the organization never exceeds
// its quota, even if several users start uploads on different nodes.
func TestReservations(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		second := &testServer{Server: s.Another(), blobs: s.blobs, settings: s.settings}
		s.setQuota(1)
		s.exempt("alice", "bob")
		half := strings.Repeat("x", 512<<10)
		at := createUpload(s, "a.txt", len(half))
		var begun, refused atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			node, who := []*testServer{s, second}[i%2], []string{"bob", "olga"}[i/2%2]
			all.Go(func() {
				res, body := tusRequest(node, who, "POST", "/api/v1/tus", nil, "Upload-Length", fmt.Sprint(len(half)/2))
				switch {
				case res != nil && res.StatusCode == 201:
					begun.Add(1)
				case res != nil && res.StatusCode == 413 && strings.Contains(body, "quota"):
					refused.Add(1)
				default:
					t.Errorf("%v %s", res, body)
				}
			})
		}
		all.Wait()
		if begun.Load() != 2 || refused.Load() != 6 {
			t.Errorf("%d uploads begun, %d refused", begun.Load(), refused.Load())
		}
		s.post("alice", part{name: "x", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "")
		if res, body := patch(s, "alice", at, 0, strings.NewReader(half)); res.StatusCode != 200 {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		s.post("alice", part{name: "x", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "") // completion freed no space
		s.Clock.Advance(25 * time.Hour)
		at = createUpload(s, "b.txt", len(half)) // the unfinished uploads have expired
		if res, _ := tusRequest(s, "alice", "DELETE", at, nil); res.StatusCode != 204 {
			t.Error(res.StatusCode)
		}
		s.post("alice", part{name: "y", content: half}).OK()
		s.post("alice", part{name: "x", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "")
	})
}

// If the quota has become too low for an upload, its completion stores nothing, however often the client retries. It
// succeeds once there is enough space.
func TestQuotaLoweredDuringUpload(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		s.setQuota(2)
		s.exempt("alice", "bob")
		third := strings.Repeat("x", 300<<10)
		at := createUpload(s, "a.txt", 2*len(third))
		if res, _ := patch(s, "alice", at, 0, strings.NewReader(third)); res.StatusCode != 204 {
			t.Fatal(res.StatusCode)
		}
		s.post("bob", part{name: "b", content: third + third}).OK()
		s.blobs.noReads.Store(true) // all parts are stored, but the file cannot be assembled
		if res, _ := patch(s, "alice", at, len(third), strings.NewReader(third)); res.StatusCode != 503 {
			t.Fatal(res.StatusCode)
		}
		s.blobs.noReads.Store(false)
		s.setQuota(1)
		held := s.blobs.count.Load()
		for range 3 {
			if res, _ := tusRequest(s, "alice", "HEAD", at, nil); res.StatusCode != 413 {
				t.Error(res.StatusCode)
			}
		}
		if n := s.blobs.count.Load(); n != held {
			t.Errorf("%d blobs, %d before", n, held)
		}
		s.setQuota(2)
		if n := offset(s, at); n != 2*len(third) {
			t.Error(n)
		}
		path := "/user_uploads/" + strings.TrimPrefix(at, s.URL+"/api/v1/tus/")
		if a := s.get("alice", path); a.Status != 200 || a.Body != third+third {
			t.Errorf("%d, %d bytes", a.Status, len(a.Body))
		}
		if n := s.blobs.count.Load(); n != 2 {
			t.Errorf("%d blobs are left", n)
		}
	})
}

// Parts are kept as long as the upload is active.
func TestPartsOfActiveUploadsAreKept(t *testing.T) {
	s := start(t, "", "")
	at := createUpload(s, "a.txt", 5)
	for i, part := range []string{"a", "b", "c", "d"} {
		if res, _ := patch(s, "alice", at, i, strings.NewReader(part)); res.StatusCode != 204 {
			t.Fatal(res.StatusCode)
		}
		s.Clock.Advance([]time.Duration{30 * time.Minute, 22 * time.Hour, 20 * time.Hour, 22 * time.Hour}[i])
		s.RunJob("uploads.remove blobs")
		s.RunJob("uploads.expire resumable uploads")
	}
	res, body := patch(s, "alice", at, 4, strings.NewReader("e"))
	if res.StatusCode != 200 {
		t.Fatal(res.StatusCode, body)
	}
	if a := s.get("alice", "/user_uploads/"+strings.TrimPrefix(at, s.URL+"/api/v1/tus/")); a.Body != "abcde" {
		t.Error(a.Body)
	}
}

// Concurrent tus requests are limited per user. Other users do not have to wait for them.
func TestConcurrentTusRequests(t *testing.T) {
	s := start(t, "", "")
	var all sync.WaitGroup
	var slow []*io.PipeWriter
	for range 4 {
		body, client := io.Pipe()
		slow = append(slow, client)
		at := createUpload(s, "a.txt", 4)
		all.Go(func() {
			if res, text := patch(s, "alice", at, 0, body); res == nil || res.StatusCode != 200 {
				t.Errorf("%v %s", res, text)
			}
		})
		if _, err := io.WriteString(client, "ab"); err != nil {
			t.Fatal(err)
		}
	}
	for s.blobs.open.Load() < 4 {
		runtime.Gosched()
	}
	fifth := make(chan int, 1)
	all.Go(func() {
		res, _ := tusRequest(s, "alice", "POST", "/api/v1/tus", nil, "Upload-Length", "1")
		fifth <- res.StatusCode
	})
	if res, body := tusRequest(s, "bob", "POST", "/api/v1/tus", nil, "Upload-Length", "1"); res.StatusCode != 201 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	select {
	case status := <-fifth:
		t.Errorf("the request did not wait: %d", status)
	default:
	}
	for _, client := range slow {
		_, _ = io.WriteString(client, "cd")
		_ = client.Close()
	}
	all.Wait()
	if status := <-fifth; status != 201 {
		t.Error(status)
	}
}
