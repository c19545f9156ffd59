package s3

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("blob", "s3", "Stores pictures and files in a bucket of an S3 object store.", Defaults(),
	func(c Config, _ needs) (ports.Blobs, error) {
		return New(c)
	})

type needs struct{ fx.In }

// Config holds the store's location and credentials.
type Config struct {
	Endpoint string `yaml:"endpoint"` // https://host or http://host:port of the store
	Bucket   string `yaml:"bucket"`   // must exist
	Region   string `yaml:"region"`   // the store's region
	Prefix   string `yaml:"prefix"`   // prepended to all keys, for a shared bucket
	// empty: from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the machine's role
	AccessKey kit.Secret `yaml:"access_key"`
	SecretKey kit.Secret `yaml:"secret_key"` // put it into STOA_ADAPTERS_BLOB_SECRET_KEY rather than into a file
	PathStyle bool       `yaml:"path_style"` // put the bucket into the path instead of the host name
	Tries     int        `yaml:"tries"`      // attempts per request
	// how long a transfer, with all its attempts, may stand still before it fails
	Timeout  time.Duration `yaml:"timeout"`
	Redirect bool          `yaml:"redirect"` // clients download files directly from the store by signed URLs
	// the store's URL for clients, if it differs from endpoint
	PublicEndpoint string `yaml:"public_endpoint"`
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{Bucket: "stoa", Region: "us-east-1", PathStyle: true, Tries: 3, Timeout: 10 * time.Second}
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case !isEndpoint(c.Endpoint):
		return errors.New("endpoint: want https://host or http://host:port")
	case c.PublicEndpoint != "" && !isEndpoint(c.PublicEndpoint):
		return errors.New("public_endpoint: want https://host or http://host:port")
	case c.Bucket == "":
		return errors.New("bucket: is empty")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return errors.New("access_key: want it and secret_key, or neither")
	case c.Tries < 1 || c.Tries > 10:
		return errors.New("tries: want 1 to 10")
	case c.Timeout <= 0 || c.Timeout > 10*time.Minute:
		return fmt.Errorf("timeout: want a time above 0, up to 10m, got %v", c.Timeout)
	}
	return nil
}

func isEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && strings.Trim(u.Path, "/") == "" &&
		u.User == nil
}
