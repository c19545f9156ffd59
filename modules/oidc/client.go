package oidc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/stoachat/stoa/ports"
)

// Limits of requests to a provider.
const (
	timeout   = 10 * time.Second // of everything that one request of a browser causes, by default
	maxAnswer = 1 << 20          // bytes
)

// authorities returns the certificate authorities; nil: those of the system.
func (p providerConfig) authorities() (*x509.CertPool, error) {
	if p.CAFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(p.CAFile)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("contains no certificate in PEM")
	}
	return pool, nil
}

// client returns the HTTP client for a provider. It follows no redirects, so that a provider cannot make the server
// call others, and reads answers up to a size.
func (p providerConfig) client() (*http.Client, error) {
	pool, err := p.authorities()
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: p.Timeout, ResponseHeaderTimeout: p.Timeout, MaxResponseHeaderBytes: 64 << 10,
		MaxConnsPerHost: 16, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &http.Client{
		Transport: bounded{ports.TracedTransport("oidc", t)}, Timeout: p.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// bounded limits the size of responses.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = &boundedBody{res.Body, maxAnswer}
	}
	return res, err
}

type boundedBody struct {
	io.ReadCloser

	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
