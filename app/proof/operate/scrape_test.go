package operate_test

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// sample is a line of /metrics.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

type page []sample

var (
	line = regexp.MustCompile(`^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$`)
	pair = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
)

// measured starts a server with all modules and metrics.
func measured(t testing.TB) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, options("metrics: {addr: '127.0.0.1:0'}\n"), harness.AllModules()...)
}

// options returns options for all modules with further sections of the configuration.
func options(sections string) kittest.Options {
	o := harness.AllOptions("")
	o.Config = sections + o.Config
	return o
}

// get requests an address of the listener for metrics.
func get(t testing.TB, s *kittest.Server, path string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.App.MetricsAddr()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// scrape reads /metrics.
func scrape(t testing.TB, s *kittest.Server) page {
	t.Helper()
	res, body := get(t, s, "/metrics", http.Header{"Accept": {"text/plain"}})
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%d: %s", res.StatusCode, body)
	}
	var all page
	for text := range strings.Lines(body) {
		if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		m := line.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("not a sample: %s", text)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		labels := map[string]string{}
		for _, p := range pair.FindAllStringSubmatch(m[2], -1) {
			labels[p[1]] = p[2]
		}
		all = append(all, sample{m[1], labels, v})
	}
	return all
}

// sum returns the sum of the samples with a name and with all of the labels, given as name, value, ...
func (p page) sum(name string, labels ...string) float64 {
	all := 0.0
	for _, s := range p {
		matches := s.name == name
		for i := 0; i < len(labels); i += 2 {
			matches = matches && s.labels[labels[i]] == labels[i+1]
		}
		if matches {
			all += s.value
		}
	}
	return all
}

// names returns the names of all samples.
func (p page) names() map[string]bool {
	all := map[string]bool{}
	for _, s := range p {
		all[s.name] = true
	}
	return all
}
