package proof_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/adapters/blobtest"
)

const (
	uploaded   = 1 << 30 // bytes
	sinkServer = "STOA_BENCH_SINK"
)

// runSink runs the test binary as a bare Fiber server that streams bodies to files and syncs them. where holds its
// address and directory.
func runSink(where string) {
	addr, dir, _ := strings.Cut(where, " ")
	app := fiber.New(fiber.Config{
		DisableStartupMessage: true, StreamRequestBody: true, DisablePreParseMultipartForm: true, BodyLimit: 2 * uploaded,
	})
	app.Post("/", func(c *fiber.Ctx) error {
		f, err := os.Create(filepath.Join(dir, "sink"))
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(f, c.Context().RequestBodyStream()); err != nil {
			return err
		}
		return f.Sync()
	})
	if err := app.Listen(addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sink starts a bare Fiber server and returns its address.
func sink(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), sinkServer+"="+addr+" "+b.TempDir())
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

// BenchmarkUpload uploads 1 GiB, to a disk and to S3, as a form and resumably, and compares with a bare Fiber server
// that writes the same to a file.
func BenchmarkUpload(b *testing.B) {
	for _, store := range []string{"disk", "s3"} {
		for _, way := range []struct {
			name string
			put  func(b *testing.B, s *server, size int64) time.Duration
		}{
			{"form", func(b *testing.B, s *server, size int64) time.Duration {
				return putFile(b, s.url+"/api/v1/user_uploads", s, size)
			}},
			{"resumable", putResumable},
		} {
			b.Run(store+"/"+way.name, func(b *testing.B) {
				s := newServer(b)
				s.env = append(s.env, "STOA_MODULES_UPLOADS_MAX_FILE_MIB=2048")
				if store == "s3" {
					k := blobtest.S3(b)
					s.env = append(s.env, "STOA_ADAPTERS_BLOB_USE=s3", "STOA_ADAPTERS_BLOB_ENDPOINT="+k.Endpoint,
						"STOA_ADAPTERS_BLOB_BUCKET="+k.Name, "STOA_ADAPTERS_BLOB_REGION="+k.Region,
						"STOA_ADAPTERS_BLOB_ACCESS_KEY="+k.AccessKey, "STOA_ADAPTERS_BLOB_SECRET_KEY="+k.SecretKey)
				}
				s.start()
				bare := sink(b)
				way.put(b, s, 1<<20) // connections are made, tables are warm
				before := s.resident()
				var ours, theirs []time.Duration
				b.ResetTimer()
				for range b.N {
					ours = append(ours, way.put(b, s, uploaded))
					theirs = append(theirs, putFile(b, bare, s, uploaded))
				}
				report(b, "MiB-growth", float64(s.peak()-before)/(1<<20))
				report(b, "of-bare-fiber", float64(median(theirs))/float64(median(ours)))
				report(b, "MB/s", uploaded/1e6/median(ours).Seconds())
			})
		}
	}
}

// putResumable uploads a file of so many bytes in one request of the tus protocol, after the one that creates it.
func putResumable(b *testing.B, s *server, size int64) time.Duration {
	b.Helper()
	began := time.Now()
	send := func(method, at string, body io.Reader, header map[string]string) *http.Response {
		req, err := http.NewRequestWithContext(b.Context(), method, at, body)
		if err != nil {
			b.Fatal(err)
		}
		req.SetBasicAuth(s.mail, s.key)
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
			b.Fatalf("%s: %d %v: %s\n%s", method, res.StatusCode, err, text, s.log)
		}
		return res
	}
	made := send(http.MethodPost, s.url+"/api/v1/tus", nil, map[string]string{
		"Upload-Length": strconv.FormatInt(size, 10), "Upload-Metadata": "filename bGFyZ2UuYmlu",
	})
	at, err := made.Location()
	if err != nil {
		b.Fatal(err)
	}
	done := send(http.MethodPatch, at.String(), io.LimitReader(zeros{}, size), map[string]string{
		"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0",
	})
	if got := done.Header.Get("Upload-Offset"); got != strconv.FormatInt(size, 10) {
		b.Fatalf("%s of %d bytes are there", got, size)
	}
	return time.Since(began)
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// peak is the most memory that the server has had, in bytes.
func (s *server) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("no /proc to read the memory from")
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kib << 10
}

// putFile uploads a file of so many bytes in a form.
func putFile(b *testing.B, url string, s *server, size int64) time.Duration {
	b.Helper()
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", "large.bin")
		if err == nil {
			block := make([]byte, 1<<20)
			for left := size; left > 0 && err == nil; left -= int64(len(block)) {
				_, err = part.Write(block)
			}
		}
		if err == nil {
			err = form.Close()
		}
		_ = w.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, r)
	if err != nil {
		b.Fatal(err)
	}
	req.SetBasicAuth(s.mail, s.key)
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
		b.Fatalf("%d %v: %s\n%s", res.StatusCode, err, text, s.log)
	}
	var answer struct {
		URL string `json:"url"`
	}
	if strings.HasSuffix(url, "user_uploads") {
		if err := json.Unmarshal(text, &answer); err != nil || answer.URL == "" {
			b.Fatalf("%v: %s", err, text)
		}
	}
	return took
}
