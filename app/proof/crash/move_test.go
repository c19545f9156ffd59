package crash_test

import (
	"bufio"
	"bytes"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestMoveSurvivesKills moves files from a folder to a bucket and back while a server is in use. It kills the move
// again and again, between two files and inside a file. Every file must be readable at any time, deleted ones must stay
// deleted, and in the end all files must be in the new store and none in the old one.
func TestMoveSurvivesKills(t *testing.T) {
	kills, small := 3, 24
	if testrun.Long() {
		kills, small = 25, 150
	}
	s := harness.NewServer(t)
	m := &storeMove{Server: s, bucket: blobtest.S3(t), files: map[string][]byte{}}
	m.use("disk")
	s.Start()
	for i := range small {
		m.upload(1 + i*997%50_000)
	}
	for range 3 {
		m.upload(11 << 20) // three parts in the bucket
	}
	for _, to := range []string{"s3", "disk"} {
		s.Kill()
		m.use("moving", to)
		s.Start()
		finish := m.load()
		killed := 0
		for try := 1; !m.run(try <= kills); try++ {
			killed++
		}
		finish()
		if killed < kills/2 {
			t.Errorf("only %d of %d moves were killed before they ended", killed, kills)
		}
		old := map[string]func() int{"s3": m.onDisk, "disk": m.inBucket}[to]
		if n := old(); n != 0 {
			t.Errorf("to %s: %d files are left in the old store", to, n)
		}
		s.Kill()
		m.use(to)
		s.Start()
		for path := range m.files {
			m.check(path)
		}
		want := fmt.Sprintf("%d files, 0 missing, 0 unnamed (0 bytes)\n", len(m.files))
		if out := string(s.Run("blobs", "check", "--recent", "0s")); out != want {
			t.Errorf("to %s: %s, want %s", to, out, want)
		}
	}
}

// storeMove is a server whose files are moved between a folder and a bucket.
type storeMove struct {
	*harness.Server
	bucket blobtest.Bucket
	mu     sync.Mutex
	files  map[string][]byte // contents by path
}

// use configures the store: disk, s3, or moving with the name of the new one.
func (m *storeMove) use(store ...string) {
	m.T.Helper()
	local, err := os.ReadFile("../../../configs/local.yaml")
	if err != nil {
		m.T.Fatal(err)
	}
	b := m.bucket
	s3 := fmt.Sprintf("endpoint: %q, region: %s, bucket: %s, access_key: %s, secret_key: %s",
		b.Endpoint, b.Region, b.Name, b.AccessKey, b.SecretKey)
	text := "blob: {use: disk}"
	switch store[0] {
	case "s3":
		text = "blob: {use: s3, " + s3 + "}"
	case "moving":
		text = map[string]string{
			"s3":   "blob: {use: s3, " + s3 + ", moving_from: {use: disk}}",
			"disk": "blob: {use: disk, moving_from: {use: s3, " + s3 + "}}",
		}[store[1]]
	}
	before, rest, ok := strings.Cut(string(local), "blob:")
	_, after, ends := strings.Cut(rest, "use: disk")
	if !ok || !ends {
		m.T.Fatal("configs/local.yaml has no store on a disk")
	}
	file := filepath.Join(m.T.TempDir(), "stoa.yaml")
	if err := os.WriteFile(file, []byte(before+text+after), 0o600); err != nil {
		m.T.Fatal(err)
	}
	m.Env = append(m.Env, "STOA_CONFIG="+file)
}

// upload uploads a file of random bytes and returns its path.
func (m *storeMove) upload(size int) string {
	m.T.Helper()
	content := make([]byte, size)
	_, _ = crand.Read(content) // never fails
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "a.bin")
	if err == nil {
		_, err = part.Write(content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		m.T.Fatal(err)
	}
	status, body, err := m.request("POST", "/api/v1/user_uploads", w.FormDataContentType(), &form)
	var answer struct {
		URL string `json:"url"`
	}
	if err := errors.Join(err, json.Unmarshal(body, &answer)); err != nil || status != http.StatusOK {
		m.T.Errorf("upload: %d %s %v", status, body, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[answer.URL] = content
	return answer.URL
}

func (m *storeMove) request(method, path, contentType string, body io.Reader) (int, []byte, error) {
	req, err := http.NewRequestWithContext(m.T.Context(), method, m.URL+path, body)
	if err != nil {
		return 0, nil, err
	}
	req.SetBasicAuth(m.Mail, m.Key)
	req.Header.Set("Content-Type", contentType)
	res, err := harness.Client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return res.StatusCode, got, err
}

// check downloads a file and compares its content.
func (m *storeMove) check(path string) {
	m.T.Helper()
	m.mu.Lock()
	want := m.files[path]
	m.mu.Unlock()
	status, got, err := m.request("GET", path, "", nil)
	if err != nil || status != http.StatusOK || !bytes.Equal(got, want) {
		m.T.Errorf("%s: %d, %d of %d bytes, %v", path, status, len(got), len(want), err)
	}
}

// load reads the existing files in turn, and uploads and deletes others, until finish is called.
func (m *storeMove) load() (finish func()) {
	stop := make(chan struct{})
	var clients sync.WaitGroup
	var paths []string
	for path := range m.files {
		paths = append(paths, path)
	}
	repeat := func(fn func(i int)) {
		clients.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					fn(i)
				}
			}
		})
	}
	for r := range 2 {
		repeat(func(i int) { m.check(paths[(i*(2*r+1))%len(paths)]) })
	}
	repeat(func(i int) {
		path := m.upload(1 + i)
		m.check(path)
		if i%4 == 0 {
			return // the file stays
		}
		if err := m.remove(path); err != nil {
			m.T.Error(err)
		}
		if status, _, err := m.request("GET", path, "", nil); err != nil || status != http.StatusNotFound {
			m.T.Errorf("deleted: %d %v", status, err)
		}
	})
	return func() { close(stop); clients.Wait() }
}

// remove deletes a file.
func (m *storeMove) remove(path string) error {
	all, err := m.Call("GET", "/attachments", nil)
	if err != nil {
		return err
	}
	files, _ := all["attachments"].([]any)
	for _, f := range files {
		if f, _ := f.(map[string]any); fmt.Sprint("/user_uploads/", f["path_id"]) == path {
			gone, err := m.Call("DELETE", fmt.Sprint("/attachments/", f["id"]), url.Values{})
			if err == nil && gone["result"] != "success" {
				err = fmt.Errorf("delete: %v", gone)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.files, path)
			return err
		}
	}
	return fmt.Errorf("%s is not listed", path)
}

// run runs stoa blobs move. If kill is set, it kills the command at a random moment. It reports whether the command
// ended by itself.
func (m *storeMove) run(kill bool) bool {
	m.T.Helper()
	cmd := exec.Command(harness.Binary(m.T), "blobs", "move")
	cmd.Env = m.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.T.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if kill {
		for n := rand.IntN(8); n >= 0 && lines.Scan(); n-- { // a line per file
		}
		time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	err = cmd.Wait()
	if kill && err != nil {
		return false
	}
	if err != nil || !kill && !strings.HasPrefix(last, "done: ") {
		m.T.Fatalf("stoa blobs move: %v: %s\n%s", err, last, &stderr)
	}
	return true
}

// onDisk counts the files in the folder.
func (m *storeMove) onDisk() (n int) {
	m.T.Helper()
	dir := ""
	for _, v := range m.Env {
		if at, ok := strings.CutPrefix(v, "STOA_DATA_DIR="); ok {
			dir = at
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "blobs", "uploads"), func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && e.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		m.T.Fatal(err)
	}
	return n
}

// inBucket counts the objects in the bucket.
func (m *storeMove) inBucket() (n int) {
	m.T.Helper()
	c, err := minio.New(strings.TrimPrefix(m.bucket.Endpoint, "http://"), &minio.Options{
		Creds:  credentials.NewStaticV4(m.bucket.AccessKey, m.bucket.SecretKey, ""),
		Region: m.bucket.Region, BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		m.T.Fatal(err)
	}
	for o := range c.ListObjects(m.T.Context(), m.bucket.Name, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			m.T.Fatal(o.Err)
		}
		n++
	}
	return n
}
