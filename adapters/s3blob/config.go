package s3blob

import (
	"errors"
	"net/url"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("blob", "s3", "Keeps pictures and files in a bucket of an S3 object store.", Defaults(), func(c Config, _ needs) (ports.Blobs, error) {
	return New(c)
})

type needs struct{ fx.In }

// Config says where the store is and how to log in there.
type Config struct {
	Endpoint  string `yaml:"endpoint"`   // https://host or http://host:port of the store
	Bucket    string `yaml:"bucket"`     // which must be there
	Region    string `yaml:"region"`     // as the store calls it
	Prefix    string `yaml:"prefix"`     // put before all keys, for a bucket that holds other things too
	AccessKey string `yaml:"access_key"` // empty: as the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the machine, say
	SecretKey string `yaml:"secret_key"` // better STOA_ADAPTERS_BLOB_SECRET_KEY than in a file
	PathStyle bool   `yaml:"path_style"` // the bucket in the path rather than in the host name
	Tries     int    `yaml:"tries"`      // of a request that the store does not answer
	Redirect  bool   `yaml:"redirect"`   // clients download files from the store, by signed addresses, instead of through this server
	// The address of the store for clients, where it differs from endpoint.
	PublicEndpoint string `yaml:"public_endpoint"`
}

// Defaults is the config without a config.
func Defaults() Config { return Config{Bucket: "stoa", Region: "us-east-1", PathStyle: true, Tries: 3} }

// Validate checks what the decoder can't.
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
	}
	return nil
}

func isEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && strings.Trim(u.Path, "/") == "" && u.User == nil
}
