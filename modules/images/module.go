package images

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores public images.
var Module = kit.Provide(
	"images",
	"Stores avatars, emoji and icons, and serves them to anyone.",
	Config{KeepUnused: 24 * time.Hour},
	wire,
).Formerly("pictures")

// Config is the configuration of the module.
type Config struct {
	KeepUnused time.Duration `yaml:"keep_unused"` // how long unused images are kept
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.KeepUnused < time.Hour {
		return errors.New("keep_unused: want 1h or more")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Clock     ports.Clock
	Blobs     ports.Blobs
}

type service struct {
	needs
	cfg   Config
	rows  store
	drawn *drawCache
}

const (
	prefix    = "/user_avatars/" // prefix of image addresses
	keyPrefix = "pictures/"      // prefix of blob keys
)

func wire(cfg Config, n needs) (kit.Parts, ports.ImageStore, error) {
	s := &service{n, cfg, store{n.DB}, newDrawCache(picture.Draw)}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.Mount(prefix, kit.Anyone, http.HandlerFunc(s.serve), "Avatars, emoji and icons.").Rate(kit.RateFiles),
		},
		Tables:     []kit.Table{s.table()},
		Hooks:      []kit.Hook{kit.On(s.erase), kit.On(s.erasePerson), kit.On(s.profileDeleted)},
		CatchUp:    s.catchUp,
		Migrations: migrations,
		Jobs: []kit.Job{
			{Name: "remove unused", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.sweep},
		},
		Blobs: []kit.BlobKeys{{Prefix: keyPrefix, List: s.keys}},
	}, s, nil
}

// Put implements ports.ImageStore.
func (s *service) Put(ctx context.Context, r realm.ID, folder string, made ...picture.Made) ([]string, error) {
	name := strings.ToLower(rand.Text())
	base := strconv.FormatInt(int64(r), 10) + "/"
	if folder != "" {
		base += folder + "/"
	}
	paths, keys := make([]string, len(made)), make([]string, len(made))
	for i, m := range made {
		at := base + name + m.Suffix + "." + m.Ext
		paths[i], keys[i] = prefix+at, keyPrefix+at
	}
	now := s.Clock.Now()
	if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Insert(ctx, r, keys, now) }); err != nil {
		return nil, err
	}
	for i, m := range made {
		if _, err := s.Blobs.Put(ctx, keys[i], bytes.NewReader(m.Data), int64(len(m.Data))); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// keysOf returns the blob keys of the image addresses among paths.
func keysOf(paths []string) []string {
	var keys []string
	for _, p := range paths {
		if at, ok := strings.CutPrefix(p, prefix); ok {
			keys = append(keys, keyPrefix+at)
		}
	}
	return keys
}

// Claim implements ports.ImageStore.
func (s *service) Claim(ctx context.Context, paths ...string) error {
	n, err := s.rows.Move(ctx, keysOf(paths), unclaimed, claimed, s.Clock.Now())
	if err == nil && n != int64(len(paths)) {
		err = errs.New(errs.Unavailable, "The image has been removed in the meantime; please upload it again.")
	}
	return err
}

// Release implements ports.ImageStore.
func (s *service) Release(ctx context.Context, paths ...string) error {
	keys := keysOf(paths)
	if len(keys) == 0 {
		return nil
	}
	_, err := s.rows.Move(ctx, keys, claimed, unclaimed, s.Clock.Now())
	return err
}

// batch is the maximum number of images read or deleted at once.
const batch = 200

// sweep deletes images that have been unused for a while.
func (s *service) sweep(ctx context.Context) error { return s.deleteUnused(ctx, s.cfg.KeepUnused) }

// erasePerson deletes all unused images, since nothing records whose avatars they were. An image that is being uploaded
// must be uploaded again.
func (s *service) erasePerson(ctx context.Context, _ *user.Erasing) error {
	return s.deleteUnused(ctx, 0)
}

// deleteUnused deletes images that have been unused for the given time.
func (s *service) deleteUnused(ctx context.Context, since time.Duration) error {
	now := s.Clock.Now()
	for ctx.Err() == nil {
		var keys []string
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			var err error
			if keys, err = s.rows.Unused(ctx, unclaimed, now.Add(-since), batch); err != nil || len(keys) == 0 {
				return err
			}
			_, err = s.rows.Move(ctx, keys, unclaimed, deleting, now)
			return err
		})
		if err != nil {
			return err
		}
		if keys, err = s.rows.Unused(ctx, deleting, now, batch); err != nil || len(keys) == 0 {
			return err
		}
		if err := s.Blobs.Delete(ctx, keys...); err != nil {
			return err
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Forget(ctx, keys) }); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// erase deletes all images of a deleted realm.
func (s *service) erase(ctx context.Context, m *realm.Erasing) error {
	for {
		keys, err := s.rows.Of(ctx, m.Realm, batch)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := s.Blobs.Delete(ctx, keys...); err != nil {
			return err
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Drop(ctx, keys) }); err != nil {
			return err
		}
	}
}
