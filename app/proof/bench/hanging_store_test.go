package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// BenchmarkHangingStore suspends the object store, which from then on accepts connections and does not respond. Forty
// clients upload and download files all the time. It reports how long the slowest of them waited for its answer, which
// must be status 503, the peaks of threads and memory, and the latency of another client's sends.
func BenchmarkHangingStore(b *testing.B) {
	bucket := blobtest.S3(b)
	line := blobtest.NewLine(b, bucket.Endpoint)
	s := newServer(b)
	s.Env = append(s.Env, "STOA_ADAPTERS_BLOB_USE=s3", "STOA_ADAPTERS_BLOB_ENDPOINT="+line.URL,
		"STOA_ADAPTERS_BLOB_BUCKET="+bucket.Name, "STOA_ADAPTERS_BLOB_REGION="+bucket.Region,
		"STOA_ADAPTERS_BLOB_ACCESS_KEY="+bucket.AccessKey, "STOA_ADAPTERS_BLOB_SECRET_KEY="+bucket.SecretKey)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	people := make([]*server, 10)
	for i := range people {
		people[i] = s.member(fmt.Sprint("person", i))
	}
	f := &fileClients{server: s, status: map[int]int{}}
	status, stored := f.upload(people[0], 6<<20)
	if status != http.StatusOK {
		b.Fatalf("%d %s\n%s", status, stored, s.Log)
	}
	f.paths = map[*server]string{}
	for _, p := range people {
		_, text := f.upload(p, 1<<20)
		_, at, _ := strings.Cut(text, `"url":"`)
		f.paths[p], _, _ = strings.Cut(at, `"`)
	}
	line.Stop()
	s.sendDuring(b, func(done <-chan struct{}) int { return f.hammer(people, done) })
	b.ReportMetric(f.slowest["download"].Seconds(), "download-s")
	b.ReportMetric(f.slowest["upload"].Seconds(), "upload-s")
	b.ReportMetric(float64(f.threads), "threads")
	b.ReportMetric(float64(s.peak())/(1<<20), "MiB-peak")
	for code, n := range f.status {
		if code != http.StatusServiceUnavailable {
			b.Errorf("%d answers with status %d", n, code)
		}
	}
	line.Resume()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
		if status, _ := f.upload(people[0], 1<<20); status == http.StatusOK {
			return
		}
	}
	b.Error("uploads do not work again")
}

// fileClients are clients that transfer files.
type fileClients struct {
	*server
	paths map[*server]string // a file of each

	mu      sync.Mutex
	slowest map[string]time.Duration // by kind of request
	status  map[int]int              // number of answers by status
	threads int64
}

// hammer uploads and downloads until done, with four clients of each person, and returns the number of successes.
func (f *fileClients) hammer(people []*server, done <-chan struct{}) int {
	f.slowest, f.status = map[string]time.Duration{}, map[int]int{}
	var all sync.WaitGroup
	for _, p := range people {
		for i := range 4 {
			all.Go(func() {
				for {
					kind, began := "upload", time.Now()
					var status int
					if i%2 == 0 {
						status, _ = f.upload(p, 6<<20)
					} else {
						kind = "download"
						status, _ = f.fetch(p, http.MethodGet, p.URL+f.paths[p], nil, "")
					}
					f.record(kind, status, time.Since(began))
					select {
					case <-done:
						return
					case <-time.After(100 * time.Millisecond): // as a client that retries
					}
				}
			})
		}
	}
	all.Wait()
	return f.status[http.StatusOK]
}

func (f *fileClients) record(kind string, status int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slowest[kind] = max(f.slowest[kind], took)
	f.status[status]++
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.Cmd.Process.Pid))
	if _, rest, ok := strings.Cut(string(text), "Threads:"); ok {
		n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		f.threads = max(f.threads, n)
	}
}

// upload uploads a file of zeros.
func (f *fileClients) upload(p *server, size int) (status int, text string) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "file.bin")
	if err == nil {
		_, err = part.Write(make([]byte, size))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return 0, err.Error()
	}
	return f.fetch(p, http.MethodPost, p.URL+"/api/v1/user_uploads", &form, w.FormDataContentType())
}

// fetch returns the status and text of an answer, or 0 and an error.
func (f *fileClients) fetch(p *server, method, address string, body io.Reader, kind string) (int, string) {
	req, err := http.NewRequest(method, address, body)
	if err != nil {
		return 0, err.Error()
	}
	req.SetBasicAuth(p.Mail, p.Key)
	req.Header.Set("Content-Type", kind)
	res, err := harness.Client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}
