package cli_test

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

// unzipped returns the files of a support bundle by name.
func unzipped(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(content)
	}
	return all
}

// A support bundle contains nothing of what people, the configuration and the log name.
func TestSupport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	const (
		person, address, channel = "Wilhelmina Zanzibar", "wilhelmina@zanzibar.example", "orangutans"
		text, secret             = "marmalade sandwiches", "xylophone-xylophone-xylophone-xylophone"
		site, sender             = "https://quixotic.example", "Kumquat <noreply@kumquat.example>"
	)
	environ := []string{
		"STOA_SECRET=" + secret, "STOA_HTTP_URL=" + site, "STOA_ADAPTERS_MAIL_USE=smtp",
		"STOA_ADAPTERS_MAIL_HOST=127.0.0.1", "STOA_ADAPTERS_MAIL_PORT=1", "STOA_ADAPTERS_MAIL_FROM=" + sender,
		"STOA_ADAPTERS_MAIL_USER=bartholomew", "STOA_ADAPTERS_MAIL_PASSWORD=zucchini-zucchini",
		"STOA_METRICS_ADDR=127.0.0.1:0", "STOA_METRICS_TOKEN=persimmon-persimmon-persimmon",
		"STOA_LOG_LEVEL=debug",
	}
	made := founded(t, "--data-dir", dir)
	s := serveIn(t, environ, standard.Modules(), "--data-dir", dir)
	s.url = "http://" + regexp.MustCompile(`server started.* address=(\S+)`).FindStringSubmatch(s.errs.String())[1]
	post := func(path string, form url.Values) {
		t.Helper()
		if status, v := ask(t, http.MethodPost, s.url+"/api/v1"+path, made.Email, made.Key, form); status != 200 {
			t.Fatal(path, status, v)
		}
	}
	post("/users", url.Values{"email": {address}, "password": {"tamarind-tamarind"}, "full_name": {person}})
	post("/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"` + channel + `"}]`}})
	post("/messages", url.Values{"type": {"stream"}, "to": {channel}, "topic": {"parsnips"}, "content": {text}})
	ask(t, http.MethodGet, s.url+"/api/v1/users/"+url.PathEscape(address), made.Email, "cumquat-key", nil)

	file := filepath.Join(t.TempDir(), "support.zip")
	r := stoaIn(t, environ, "support", "--data-dir", dir, file).ok(t)
	got := unzipped(t, file)
	for _, name := range []string{
		"version.json", "config.yaml", "doctor.json", "migrations.json", "schema.json", "tables.json", "jobs.json",
		"nodes.json", "disk.json", "log.txt", "metrics.txt", "health.json", "goroutines.pprof", "heap.pprof", "cpu.pprof",
	} {
		if len(got[name]) == 0 || !strings.Contains(got["manifest.txt"], name+": ") {
			t.Errorf("%s is missing\n%s%s", name, r.out, got["manifest.txt"])
		}
	}
	corpus := []string{
		"Wilhelmina", "Zanzibar", "orangutans", "marmalade", "sandwiches", "xylophone", "quixotic", "kumquat", "cumquat",
		"bartholomew", "zucchini", "persimmon", "tamarind", "parsnips", "o@example.com", made.Key, filepath.Dir(dir),
	}
	for name, content := range got {
		for _, word := range corpus {
			if strings.Contains(strings.ToLower(content), strings.ToLower(word)) {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
	for name, want := range map[string]string{
		"log.txt": "route=", "metrics.txt": "stoa_build_info", "health.json": `"server.database":"ok"`,
		"doctor.json": `"check": "messages.search"`, "config.yaml": "(changed)", "tables.json": `"messages": `,
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("%s lacks %q:\n%.2000s", name, want, got[name])
		}
	}
	s.stop(0)

	file += ".2"
	r = stoaIn(t, environ, "support", "--data-dir", dir, file).ok(t)
	got = unzipped(t, file)
	if _, ok := got["log.txt"]; ok || !strings.Contains(r.out, "log.txt is missing: no server is running") ||
		!strings.Contains(got["manifest.txt"], "cpu.pprof is missing: ") || got["doctor.json"] == "" {
		t.Errorf("without a server: %s%s", r.out, got["manifest.txt"])
	}
	stoa(t, "", "support", "--data-dir", dir, file).fails(t, 1, "exists")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if !slices.Contains(strings.Fields(got["version.json"]), `"sqlite",`) {
		t.Errorf("%s", got["version.json"])
	}
}
