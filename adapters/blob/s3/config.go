package s3

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/encrypt"
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
	PathStyle bool       `yaml:"path_style"` // put the bucket into the path; false: into the host name, as AWS wants it
	// how the store encrypts what it stores: s3 with keys of its own, kms with those of its key service; empty: as the
	// bucket does by default
	SSE      string `yaml:"sse"`
	SSEKMSID string `yaml:"sse_kms_id"` // ID or ARN of the key for kms; empty: the store's default
	// where the store puts what it stores, such as STANDARD_IA; empty: as the bucket does by default
	StorageClass string `yaml:"storage_class"`
	Tries        int    `yaml:"tries"` // attempts per request
	// how long a transfer, with all its attempts, may stand still before it fails
	Timeout  time.Duration `yaml:"timeout"`
	Redirect bool          `yaml:"redirect"` // clients download files from the store, by signed URLs valid for a minute
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
	case c.SSE != "" && c.SSE != sseS3 && c.SSE != sseKMS:
		return errors.New("sse: want s3 or kms, or nothing")
	case c.SSEKMSID != "" && c.SSE != sseKMS:
		return errors.New("sse_kms_id: want it only with sse: kms")
	case archives[c.StorageClass]:
		return fmt.Errorf("storage_class: files in %s can't be read at once; GLACIER_IR can", c.StorageClass)
	case !storageClass.MatchString(c.StorageClass):
		return errors.New("storage_class: want a name such as STANDARD_IA")
	}
	return nil
}

// The values of sse.
const (
	sseS3  = "s3"
	sseKMS = "kms"
)

// archives are the storage classes of AWS whose objects must be restored before they are read.
var archives = map[string]bool{"GLACIER": true, "DEEP_ARCHIVE": true}

var storageClass = regexp.MustCompile(`^[\w.-]{0,128}$`)

// stored returns the options of everything that is stored.
func (c Config) stored() (minio.PutObjectOptions, error) {
	// The signed MD5 detects corruption. Not all stores support signatures of each chunk.
	opts := minio.PutObjectOptions{
		SendContentMd5: true, DisableContentSha256: true, PartSize: part, NumThreads: 1,
		ContentType: "application/octet-stream", StorageClass: c.StorageClass,
	}
	var err error
	switch c.SSE {
	case sseS3:
		opts.ServerSideEncryption = encrypt.NewSSE()
	case sseKMS:
		opts.ServerSideEncryption, err = encrypt.NewSSEKMS(c.SSEKMSID, nil)
	}
	return opts, err
}

func isEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && strings.Trim(u.Path, "/") == "" &&
		u.User == nil
}
