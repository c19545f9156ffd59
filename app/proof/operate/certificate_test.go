package operate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// behind starts a server with metrics behind a proxy.
func behind(t *testing.T, url string) *kittest.Server {
	t.Helper()
	o := options("metrics: {addr: '127.0.0.1:0'}\n")
	o.Config = strings.Replace(o.Config, "http: {", "http: {url: '"+url+"', ", 1)
	return kittest.StartWith(t, o, harness.AllModules()...)
}

// The end of the certificate that people see is shown, also if nobody trusts it.
func TestCertificate(t *testing.T) {
	proxy := httptest.NewTLSServer(http.NotFoundHandler())
	defer proxy.Close()
	s := behind(t, proxy.URL)
	want := float64(proxy.Certificate().NotAfter.Unix())
	if got := scrape(t, s).sum("stoa_tls_not_after_seconds"); got != want {
		t.Errorf("the certificate ends at %v, want %v", got, want)
	}
}

// A proxy that cannot be reached is no certificate that has ended.
func TestNoCertificate(t *testing.T) {
	proxy := httptest.NewTLSServer(http.NotFoundHandler())
	proxy.Close()
	s := behind(t, proxy.URL)
	if scrape(t, s).names()["stoa_tls_not_after_seconds"] {
		t.Error("there is an end")
	}
}
