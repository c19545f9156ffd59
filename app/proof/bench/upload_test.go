package bench_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

const (
	uploaded   = 1 << 30 // bytes
	sinkServer = "STOA_BENCH_SINK"
)

// sinkConfig holds the address of the bare server, and where it stores data: in a folder or a bucket.
type sinkConfig struct {
	Addr, Dir string
	Bucket    *blobtest.Bucket
}

// runSink makes the test binary a bare Fiber server that streams bodies to a file, with fsync, or to S3.
func runSink(config string) {
	var c sinkConfig
	err := json.Unmarshal([]byte(config), &c)
	put := func(r io.Reader) error {
		f, err := os.Create(filepath.Join(c.Dir, "sink"))
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(f, r); err != nil {
			return err
		}
		return f.Sync()
	}
	if b := c.Bucket; err == nil && b != nil {
		var client *minio.Client
		client, err = minio.New(strings.TrimPrefix(b.Endpoint, "http://"), &minio.Options{
			Creds: credentials.NewStaticV4(b.AccessKey, b.SecretKey, ""), Region: b.Region, BucketLookup: minio.BucketLookupPath,
		})
		put = func(r io.Reader) error {
			r = io.MultiReader(r) // keeps returning EOF, where Fiber's reader would wait for more
			_, err := client.PutObject(context.Background(), b.Name, "sink", r, -1,
				minio.PutObjectOptions{PartSize: 5 << 20, NumThreads: 1, SendContentMd5: true, DisableContentSha256: true})
			return err
		}
	}
	app := fiber.New(fiber.Config{
		DisableStartupMessage: true, StreamRequestBody: true, DisablePreParseMultipartForm: true, BodyLimit: 2 * uploaded,
	})
	app.Post("/", func(c *fiber.Ctx) error { return put(c.Context().RequestBodyStream()) })
	if err == nil {
		err = app.Listen(c.Addr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sink starts a bare Fiber server and returns its address. The server stores bodies in a bucket, or in a folder if
// bucket is nil.
func sink(b *testing.B, bucket *blobtest.Bucket) string {
	b.Helper()
	addr := testrun.FreeAddr(b)
	config, err := json.Marshal(sinkConfig{addr, b.TempDir(), bucket})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), sinkServer+"="+string(config))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "http://" + addr
}

// BenchmarkUpload uploads 1 GiB to disk and to S3, as a form and resumably, and compares that with a bare Fiber server
// that writes the same data to the same store. Because other load on the machine makes single uploads vary by half, the
// servers take turns at being first, and the median of the ratios counts (of two, the lower one).
func BenchmarkUpload(b *testing.B) {
	for _, store := range []string{"disk", "s3"} {
		pairs := map[string]int{"disk": 5, "s3": 2}[store]
		for _, way := range []struct {
			name string
			put  func(b *testing.B, s *server, size int64) time.Duration
		}{
			{"form", func(b *testing.B, s *server, size int64) time.Duration {
				return putFile(b, s.URL+"/api/v1/user_uploads", s, size)
			}},
			{"resumable", putResumable},
		} {
			b.Run(store+"/"+way.name, func(b *testing.B) {
				s := newServer(b)
				s.Env = append(s.Env, "STOA_MODULES_UPLOADS_MAX_FILE_MIB=2048")
				var bucket *blobtest.Bucket
				if store == "s3" {
					k := blobtest.S3(b)
					bucket = &k
					s.Env = append(s.Env, "STOA_ADAPTERS_BLOB_USE=s3", "STOA_ADAPTERS_BLOB_ENDPOINT="+k.Endpoint,
						"STOA_ADAPTERS_BLOB_BUCKET="+k.Name, "STOA_ADAPTERS_BLOB_REGION="+k.Region,
						"STOA_ADAPTERS_BLOB_ACCESS_KEY="+k.AccessKey, "STOA_ADAPTERS_BLOB_SECRET_KEY="+k.SecretKey)
				}
				s.Start()
				bare := sink(b, bucket)
				way.put(b, s, 1<<20) // opens connections and warms up the tables
				before := s.resident()
				var ours []time.Duration
				var ratios []float64
				b.ResetTimer()
				for i := range b.N * pairs {
					var mine, theirs time.Duration
					turns := []func(){
						func() { mine = way.put(b, s, uploaded) },
						func() { theirs = putFile(b, bare, s, uploaded) },
					}
					turns[i%2]()
					turns[1-i%2]()
					ours, ratios = append(ours, mine), append(ratios, float64(theirs)/float64(mine))
					s.removeFiles()
				}
				slices.Sort(ratios)
				b.Logf("%.2f", ratios)
				report(b, "MiB-growth", float64(s.peak()-before)/(1<<20))
				report(b, "of-bare-fiber", ratios[(len(ratios)-1)/2])
				report(b, "MB/s", uploaded/1e6/median(ours).Seconds())
			})
		}
	}
}

// putResumable uploads a file of the given size with the tus protocol: one request creates it, another one sends the
// content.
func putResumable(b *testing.B, s *server, size int64) time.Duration {
	b.Helper()
	began := time.Now()
	send := func(method, at string, body io.Reader, header map[string]string) *http.Response {
		req, err := http.NewRequestWithContext(b.Context(), method, at, body)
		if err != nil {
			b.Fatal(err)
		}
		req.SetBasicAuth(s.Mail, s.Key)
		req.Header.Set("Tus-Resumable", "1.0.0")
		for k, v := range header {
			req.Header.Set(k, v)
		}
		if body != nil {
			req.ContentLength = size
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode >= http.StatusBadRequest {
			b.Fatalf("%s: %d %v: %s\n%s", method, res.StatusCode, err, text, s.Log)
		}
		return res
	}
	made := send(http.MethodPost, s.URL+"/api/v1/tus", nil, map[string]string{
		"Upload-Length": strconv.FormatInt(size, 10), "Upload-Metadata": "filename bGFyZ2UuYmlu",
	})
	at, err := made.Location()
	if err != nil {
		b.Fatal(err)
	}
	done := send(http.MethodPatch, at.String(), io.LimitReader(newNoise(), size), map[string]string{
		"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0",
	})
	if got := done.Header.Get("Upload-Offset"); got != strconv.FormatInt(size, 10) {
		b.Fatalf("%s of %d bytes were stored", got, size)
	}
	return time.Since(began)
}

// removeFiles deletes the owner's files. The bare server replaces its file instead.
func (s *server) removeFiles() {
	s.T.Helper()
	for _, f := range s.Must("GET", "/attachments", nil)["attachments"].([]any) {
		s.Must("DELETE", fmt.Sprint("/attachments/", f.(map[string]any)["id"]), url.Values{})
	}
}

// noise is an endless file of random bytes, which resembles the compressed files that most attachments are. Zeros would
// not do: package mime/multipart takes a second per GiB to search for carriage returns in data that contains none.
type noise struct {
	block []byte
	at    int
}

func newNoise() *noise {
	n := &noise{block: make([]byte, 1<<20)}
	_, _ = rand.Read(n.block) // never fails
	return n
}

// Read repeats the block.
func (n *noise) Read(p []byte) (int, error) {
	c := copy(p, n.block[n.at:])
	n.at = (n.at + c) % len(n.block)
	return c, nil
}

// peak returns the server's peak memory in bytes.
func (s *server) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	if err != nil {
		s.T.Skip("no /proc to read the memory from")
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kib << 10
}

// putFile uploads a file of the given size in a form.
func putFile(b *testing.B, address string, s *server, size int64) time.Duration {
	b.Helper()
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", "large.bin")
		if err == nil {
			_, err = io.CopyBuffer(part, io.LimitReader(newNoise(), size), make([]byte, 1<<20))
		}
		if err == nil {
			err = form.Close()
		}
		_ = w.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, address, r)
	if err != nil {
		b.Fatal(err)
	}
	req.SetBasicAuth(s.Mail, s.Key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	took := time.Since(began)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("%d %v: %s\n%s", res.StatusCode, err, text, s.Log)
	}
	var answer struct {
		URL string `json:"url"`
	}
	if strings.HasSuffix(address, "user_uploads") {
		if err := json.Unmarshal(text, &answer); err != nil || answer.URL == "" {
			b.Fatalf("%v: %s", err, text)
		}
	}
	return took
}
