package traces

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/stoachat/stoa/modules/kit"
)

// Config is the traces section of the configuration.
type Config struct {
	// URL of a collector that accepts OTLP by HTTP, such as http://127.0.0.1:4318; without a path, /v1/traces is added.
	// Empty: there are no traces
	Endpoint string `yaml:"endpoint"`
	// sent to the collector as Authorization: Bearer; empty: none
	Token kit.Secret `yaml:"token"`
	// share of the requests and jobs that are traced, from 0 to 1. For a request with the header traceparent, a proxy in
	// http.trusted_proxies has decided
	Sample float64 `yaml:"sample"`
}

// Defaults returns the default configuration.
func Defaults() Config { return Config{Sample: 0.1} }

// Validate reports all problems, one per line, each beginning with its key.
func (c Config) Validate() error {
	var all []error
	if u, err := url.Parse(c.Endpoint); c.Endpoint != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		all = append(all, fmt.Errorf("endpoint: %q is not a URL such as http://127.0.0.1:4318", c.Endpoint))
	}
	if !(c.Sample >= 0 && c.Sample <= 1) {
		all = append(all, fmt.Errorf("sample: want a number from 0 to 1, got %v", c.Sample))
	}
	return errors.Join(all...)
}
