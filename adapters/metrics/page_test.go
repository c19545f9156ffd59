package metrics_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stoachat/stoa/adapters/metrics"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// text returns the values of a library as its server shows them.
func text(t *testing.T, l *metrics.Library) string {
	t.Helper()
	s := metrics.NewServer(metrics.Config{Addr: "127.0.0.1:0"}, l)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop(t.Context()) }()
	client := &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + s.Addr() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
