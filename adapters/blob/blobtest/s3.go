package blobtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The S3 server that tests build and run unless STOA_TEST_S3_ENDPOINT is set.
const (
	gateway        = "github.com/versity/versitygw/cmd/versitygw"
	gatewayVersion = "v1.8.0"
)

// Bucket is an empty bucket of a real S3 server.
type Bucket struct {
	Endpoint, Region, Name, AccessKey, SecretKey string
}

// S3 returns a new bucket of a real S3 server: the one configured by STOA_TEST_S3_ENDPOINT, STOA_TEST_S3_REGION,
// STOA_TEST_S3_ACCESS_KEY and STOA_TEST_S3_SECRET_KEY, or versitygw, which is built once into .cache/bin and runs
// until the test ends.
func S3(t testing.TB) Bucket {
	t.Helper()
	b := Bucket{
		Endpoint: os.Getenv("STOA_TEST_S3_ENDPOINT"), Region: "us-east-1", Name: "stoa-" + strings.ToLower(rand.Text()),
		AccessKey: os.Getenv("STOA_TEST_S3_ACCESS_KEY"), SecretKey: os.Getenv("STOA_TEST_S3_SECRET_KEY"),
	}
	if r := os.Getenv("STOA_TEST_S3_REGION"); r != "" {
		b.Region = r
	}
	if b.Endpoint == "" {
		b.AccessKey, b.SecretKey = "access", "secretsecret"
		b.Endpoint = startGateway(t, b)
	}
	u, err := url.Parse(b.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(b.AccessKey, b.SecretKey, ""), Secure: u.Scheme == "https", Region: b.Region,
		BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), b.Name, minio.MakeBucketOptions{Region: b.Region}); err != nil {
		t.Fatal(err)
	}
	return b
}

// build builds the gateway once per process. A lock file serializes concurrent processes.
var build = sync.OnceValues(func() (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), ".cache", "bin")
	binary := filepath.Join(dir, "versitygw-"+gatewayVersion)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a directory of executables
		return "", err
	}
	lock, err := os.OpenFile(binary+".lock", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a path of this function
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }() // also releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	install := exec.Command("go", "install", "-ldflags=-s -w", gateway+"@"+gatewayVersion)
	// With the flags of make test, packages that are compiled already are reused.
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s: %w: %s", gateway, err, out)
	}
	return binary, os.Rename(filepath.Join(dir, "versitygw"), binary)
})

func startGateway(t testing.TB, b Bucket) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	data, meta := t.TempDir(), t.TempDir()
	for try := 0; ; try++ {
		addr := freeAddr(t)
		ctx, cancel := context.WithCancel(context.Background())
		run := exec.CommandContext(ctx, binary, //nolint:gosec // built above
			"--port", addr, "--access", b.AccessKey, "--secret", b.SecretKey, "--region", b.Region, "--quiet",
			"posix", "--sidecar", meta, data)
		var said strings.Builder
		run.Stdout, run.Stderr = &said, &said
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = run.Wait(); close(ended) }()
		stop := func() { cancel(); <-ended }
		if answers(ctx, addr, ended) {
			t.Cleanup(stop)
			return "http://" + addr
		}
		stop()
		if try == 2 { // another process may have taken the port
			t.Fatalf("versitygw does not start: %s", said.String())
		}
	}
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// answers reports whether the server responds within 30 seconds. It returns early if the server exits.
func answers(ctx context.Context, addr string, ended <-chan struct{}) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", http.NoBody)
	if err != nil {
		return false
	}
	for range 600 {
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}
