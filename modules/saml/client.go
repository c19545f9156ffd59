package saml

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/stoachat/stoa/ports"
)

// maxMetadata is the maximum size of a provider's metadata in bytes.
const maxMetadata = 1 << 20

// authorities returns the certificate authorities; nil: those of the system.
func (p providerConfig) authorities() (*x509.CertPool, error) {
	if p.CAFile == "" {
		return nil, nil
	}
	pem, err := readFile(p.CAFile, maxFile)
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

// client returns the HTTP client that reads metadata. It follows no redirects, so that a provider cannot make the
// server call others.
func (p providerConfig) client() (*http.Client, error) {
	pool, err := p.authorities()
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: p.Timeout, ResponseHeaderTimeout: p.Timeout, MaxResponseHeaderBytes: 64 << 10,
		MaxConnsPerHost: 2, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &http.Client{
		Transport: ports.TracedTransport("saml", t), Timeout: p.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// fetch reads the provider's metadata, from its address or its file.
func (p *provider) fetch(ctx context.Context) ([]byte, error) {
	if p.MetadataFile != "" {
		return readFile(p.MetadataFile, maxMetadata)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.MetadataURL, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.9")
	res, err := p.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the metadata's address answers with status %d", res.StatusCode)
	}
	doc, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata+1))
	if err == nil && len(doc) > maxMetadata {
		err = fmt.Errorf("the metadata is larger than %d bytes", maxMetadata)
	}
	return doc, err
}
