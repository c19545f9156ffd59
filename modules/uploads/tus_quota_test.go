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

// quotaMiB sets the organization's quota.
func (w *world) quotaMiB(n int) {
	w.T.Helper()
	if err := w.settings.Set(w.T.Context(), w.Realm, "upload_quota_mib", &n); err != nil {
		w.T.Fatal(err)
	}
}

// Unfinished uploads reserve their full size until they are canceled or expire, so that the organization never stores
// more than its quota, whoever begins them, on whichever nodes.
func TestReservations(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		second := &world{Server: s.Another(), blobs: s.blobs, settings: s.settings}
		s.quotaMiB(1)
		half := strings.Repeat("x", 512<<10)
		at := begin(s, "a.txt", len(half))
		var begun, refused atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			node, who := []*world{s, second}[i%2], []string{"bob", "olga"}[i/2%2]
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
		s.post("alice", part{name: "x", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "") // it still takes its space
		s.Clock.Advance(25 * time.Hour)
		at = begin(s, "b.txt", len(half)) // the others have expired
		if res, _ := tusRequest(s, "alice", "DELETE", at, nil); res.StatusCode != 204 {
			t.Error(res.StatusCode)
		}
		s.post("alice", part{name: "y", content: half}).OK()
		s.post("alice", part{name: "x", content: "x"}).Error(400, "REALM_UPLOAD_QUOTA", "")
	})
}

// An upload for which the quota is too low at the end stores nothing more, however often the client retries. It
// completes once there is room.
func TestDoesNotFitInTheEnd(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		s.quotaMiB(2)
		third := strings.Repeat("x", 300<<10)
		at := begin(s, "a.txt", 2*len(third))
		if res, _ := patch(s, "alice", at, 0, strings.NewReader(third)); res.StatusCode != 204 {
			t.Fatal(res.StatusCode)
		}
		s.post("bob", part{name: "b", content: third + third}).OK()
		s.blobs.refused.Store(true) // all parts are stored, but the file cannot be assembled
		if res, _ := patch(s, "alice", at, len(third), strings.NewReader(third)); res.StatusCode != 503 {
			t.Fatal(res.StatusCode)
		}
		s.blobs.refused.Store(false)
		s.quotaMiB(1)
		held := s.blobs.held.Load()
		for range 3 {
			if res, _ := tusRequest(s, "alice", "HEAD", at, nil); res.StatusCode != 413 {
				t.Error(res.StatusCode)
			}
		}
		if n := s.blobs.held.Load(); n != held {
			t.Errorf("%d blobs, %d before", n, held)
		}
		s.quotaMiB(2)
		if n := offset(s, at); n != 2*len(third) {
			t.Error(n)
		}
		path := "/user_uploads/" + strings.TrimPrefix(at, s.URL+"/api/v1/tus/")
		if a := s.get("alice", path); a.Status != 200 || a.Body != third+third {
			t.Errorf("%d, %d bytes", a.Status, len(a.Body))
		}
		if n := s.blobs.held.Load(); n != 2 {
			t.Errorf("%d blobs are left", n)
		}
	})
}

// Parts are kept as long as the upload is active.
func TestPartsOfActiveUploadsAreKept(t *testing.T) {
	s := start(t, "", "")
	at := begin(s, "a.txt", 5)
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

// Concurrent tus requests per user are limited like plain uploads; other users do not wait for them.
func TestTurnsToSend(t *testing.T) {
	s := start(t, "", "")
	var all sync.WaitGroup
	var slow []*io.PipeWriter
	for range 4 {
		body, client := io.Pipe()
		slow = append(slow, client)
		at := begin(s, "a.txt", 4)
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
