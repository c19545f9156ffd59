package cli_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
	"github.com/stoachat/stoa/ports"
)

// shelf is a store of a team's own, of which the server knows nothing but ports.Blobs.
type shelf struct{ in ports.Blobs }

func (s shelf) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	return s.in.Put(ctx, key, r, limit)
}

func (s shelf) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	return s.in.Open(ctx, key, from, n)
}

func (s shelf) Delete(ctx context.Context, keys ...string) error { return s.in.Delete(ctx, keys...) }

func (s shelf) Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return s.in.Keys(ctx, prefix, after)
}

func (s shelf) Check(ctx context.Context) error { return s.in.Check(ctx) }

type shelfConfig struct {
	Board string `yaml:"board"` // a folder
}

var shelfModule = kit.Adapter("blob", "shelf", "Stores files on a shelf.", shelfConfig{},
	func(c shelfConfig, _ struct{ fx.In }) (ports.Blobs, error) {
		return shelf{disk.New(c.Board, kittest.NewClock())}, nil
	})

// Files move between any two stores: from a store of a team's own to a bucket, from that to another bucket, and back.
func TestMoveBetweenAnyStores(t *testing.T) {
	t.Parallel()
	dir, board := filepath.Join(t.TempDir(), "data"), t.TempDir()
	modules := append(standard.Modules(), shelfModule)
	one, two := blobtest.S3(t), blobtest.S3(t)
	bucket := func(b blobtest.Bucket) string {
		return fmt.Sprintf("use: s3, endpoint: %q, region: %s, bucket: %s, access_key: %s, secret_key: %s",
			b.Endpoint, b.Region, b.Name, b.AccessKey, b.SecretKey)
	}
	own := fmt.Sprintf("use: shelf, board: %q", board)
	made := founded(t, "--data-dir", dir)
	run := func(args ...string) result {
		return call(t, cli.Call{Args: args, In: strings.NewReader(""), Modules: modules})
	}
	var path string
	stores := []string{own, bucket(one), bucket(two), own}
	for i, to := range stores {
		section := "{" + to + "}"
		if i > 0 {
			section = "{" + to + ", moving_from: {" + stores[i-1] + "}}"
		}
		config := withStore(t, section)
		s := serve(t, modules, "--config", config, "--data-dir", dir)
		if i == 0 {
			path = attach(t, s.url, made.Email, made.Key, "content")
		} else {
			r := run("blobs", "move", "--config", config, "--data-dir", dir).ok(t)
			if !strings.HasSuffix(r.out, "done: 1 files, 7 bytes\n") {
				t.Errorf("move %d: %s", i, r.out)
			}
		}
		if got := fetch(t, "GET", s.url+path, made.Email, made.Key, "", nil); got != "content" {
			t.Errorf("after move %d: %q", i, got)
		}
		s.stop(0)
	}
	both := withStore(t, "{"+bucket(two)+", moving_from: {"+bucket(one)+"}}")
	printed := call(t, cli.Call{
		Args: []string{"config", "print", "--config", both}, In: strings.NewReader(""), Modules: modules,
		Environ: []string{"STOA_ADAPTERS_BLOB_MOVING_FROM_BUCKET=former"},
	}).ok(t)
	if !strings.Contains(printed.out, "moving_from:") || !strings.Contains(printed.out, "bucket: former") ||
		strings.Contains(printed.out, one.SecretKey) {
		t.Errorf("printed as\n%s", printed.out)
	}
	same := withStore(t, "{"+own+", moving_from: {"+own+"}}")
	run("config", "check", "--config", same).fails(t, 2, "adapters.blob.moving_from",
		"is the store to which the files move")
	alias := withStore(t, "{"+own+", moving_from: {use: shelf, board: "+board+"/.}}")
	run("blobs", "move", "--config", alias, "--data-dir", dir).fails(t, 1, "both stores are the same")
	unknown := withStore(t, "{"+own+", moving_from: {use: chest, bord: x}}")
	run("config", "check", "--config", unknown).fails(t, 2, "adapters.blob.moving_from.use",
		`unknown adapter "chest"`)
}
