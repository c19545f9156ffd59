package server

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.uber.org/fx"
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/secret"
	"github.com/stoachat/stoa/ports"
)

// bucketScheme is the beginning of a target in an object store.
const bucketScheme = "s3://"

// Place returns the store of blobs at a target of backups: s3://bucket/prefix or a folder.
func (s *Server) Place(target string) (ports.Blobs, error) {
	rest, ok := strings.CutPrefix(target, bucketScheme)
	if !ok {
		return s.Folder(target)
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return nil, fmt.Errorf("want s3://bucket/prefix, got %s", target)
	}
	return s.Bucket(bucket, prefix)
}

// Folder returns a store of blobs in a folder, apart from that of the server.
func (s *Server) Folder(dir string) (ports.Blobs, error) {
	return s.place("disk", nil, map[string]any{"dir": dir})
}

// Bucket returns a store of blobs in a bucket, apart from that of the server. It has the settings of backup.s3 over
// those of adapters.blob.
func (s *Server) Bucket(bucket, prefix string) (ports.Blobs, error) {
	var base any
	for _, c := range s.Config.Plan {
		for _, store := range []*registry.Chosen{c.From, &c} {
			if store != nil && store.Slot == "blob" && store.Name == "s3" {
				base = store.Config
			}
		}
	}
	if prefix != "" {
		prefix = strings.Trim(prefix, "/") + "/"
	}
	own := s.Config.Settings.Backup.S3
	if base == nil && own.Endpoint == "" {
		return nil, errors.New("backup.s3.endpoint: is empty, and adapters.blob names no bucket; set it to the address of " +
			"the object store")
	}
	set := map[string]any{"bucket": bucket, "prefix": prefix, "redirect": false}
	for key, value := range map[string]string{
		"endpoint": own.Endpoint, "region": own.Region, "access_key": string(own.AccessKey),
		"secret_key": string(own.SecretKey),
	} {
		if value != "" {
			set[key] = value
		}
	}
	return s.place("s3", base, set)
}

// place opens an adapter for blobs with the given settings over others, or over its defaults.
func (s *Server) place(name string, base any, set map[string]any) (ports.Blobs, error) {
	for _, m := range s.available {
		if m.Slot != "blob" || m.Name != name {
			continue
		}
		if base == nil {
			base = m.Defaults
		}
		cfg := reflect.New(reflect.TypeOf(base))
		cfg.Elem().Set(reflect.ValueOf(base))
		text, err := yaml.Marshal(set)
		if err == nil {
			err = yaml.Unmarshal(text, cfg.Interface())
		}
		if v, ok := cfg.Interface().(interface{ Validate() error }); ok && err == nil {
			err = v.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("backup.%s.%w", map[string]string{"s3": "s3", "disk": "target"}[name], err)
		}
		var blobs ports.Blobs
		err = fx.New(fx.NopLogger, fx.Supply(ports.DataDir(s.Config.Settings.DataDir)),
			fx.Provide(func() ports.Clock { return s.options.Clock }), m.Option(cfg.Elem().Interface()), fx.Populate(&blobs),
		).Err()
		return blobs, err
	}
	return nil, fmt.Errorf("this server has no adapter for blobs with the name %s", name)
}

// SecretText returns the secret of the server, or "" if it has none yet.
func (s *Server) SecretText() (string, error) {
	return secret.New(string(s.Config.Settings.Secret), s.Config.Settings.DataDir).Text()
}
