package wasm_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPackages installs packages that are broken or hostile.
func TestPackages(t *testing.T) {
	w := start(t, "", "")
	good, wasm := manifest("1", `"description":""}`), entry{"module.wasm", tiny("{}")}
	for want, files := range map[string][]entry{
		"contains no module.wasm":          {good},
		"manifest.json: EOF":               {wasm},
		`unexpected file "../x.js"`:        {good, wasm, {"../x.js", nil}},
		`unexpected file "web/../../x.js"`: {good, wasm, {"web/../../x.js", nil}},
		`unexpected file "/etc/x.js"`:      {good, wasm, {"/etc/x.js", nil}},
		`unexpected file "web/x.html"`:     {good, wasm, {"web/x.html", nil}},
		`two files "module.wasm"`:          {good, wasm, wasm},
		"larger than 64 MiB together":      {good, wasm, {"web/x.js", make([]byte, 65<<20)}},
		"unknown field":                    {manifest("1", `"root":true}`), wasm},
		`"root" is unknown`:                {manifest("1", `"permissions":["root"]}`), wasm},
		"script: want one if and only if":  {manifest("1", `"script":"web/x.js"}`), wasm, {"web/x.js", nil}},
		"hosts: want some if and only if":  {manifest("1", `"hosts":["example.com"]}`), wasm},
		"needs the permission":             {manifest("1", `"hooks":["message"]}`), wasm},
		"access one of": {manifest("1",
			`"routes":[{"method":"GET","path":"/x","access":"anyone"}]}`), wasm},
		"at least 1m0s":                {manifest("1", `"every":"1s"}`), wasm},
		"SHA256SUMS does not match":    {good, wasm, {"SHA256SUMS", []byte("0  x\n")}},
		"adapters.webhooks is missing": {manifest("1", `"permissions":["http"],"hosts":["example.com"]}`), wasm},
	} {
		w.refuses(want, pack(t, files...))
	}
	w.refuses("not a package", []byte("PK\x03\x04"))
	other := strings.ReplaceAll(string(tiny("{}")), "\x06stoa_1\x00\x01\x0a", "\x06stoa_2\x00\x01\x0a")
	for want, text := range map[string][]byte{
		"can't be made interruptible": []byte("no code"),
		"it exports no function":      []byte(other),
		"it imports stoa_9.write":     []byte(strings.Replace(string(tiny("{}")), "stoa_1", "stoa_9", 1)),
	} {
		_, err := w.command("module install", map[string]any{"Bytes": pack(t, good, entry{"module.wasm", text})}, false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if got := w.run("module list", nil); got != "[]\n" {
		t.Errorf("installed: %s", got)
	}
}

// TestWeb checks that files for the web client are served while the module is installed.
func TestWeb(t *testing.T) {
	w := start(t, "", "")
	script := entry{"web/probe.js", []byte("export default () => {}")}
	files := []entry{manifest("1", `"permissions":["web"],"script":"web/probe.js"}`), {"module.wasm", tiny("{}")}, script}
	what, err := w.command("module install", map[string]any{"Bytes": pack(t, files...)}, true)
	if err != nil || !strings.Contains(what, "RUN CODE IN THE BROWSERS OF ALL USERS") {
		t.Errorf("%q, %v", what, err)
	}
	w.install(files...)
	at := fmt.Sprintf("/static/web/modules/installed/%x/", sha256.Sum256(pack(t, files...)))
	status, h, body := w.Page("GET", at+"probe.js", nil)
	if status != 200 || body != string(script.text) || h.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%d %v %s", status, h, body)
	}
	for _, name := range []string{"other.js", "../module.wasm", "..%2fmodule.wasm", "module.wasm"} {
		if status, _, _ := w.Page("GET", at+name, nil); status != 404 {
			t.Errorf("%s: %d", name, status)
		}
	}
	w.run("module remove", map[string]any{"Name": "probe"})
	w.Clock.Advance(time.Minute)
	w.RunJob("wasm.prepare")
	if status, _, _ := w.Page("GET", at+"probe.js", nil); status != 404 {
		t.Errorf("after the removal: %d", status)
	}
}

// TestSigned checks that only signed packages are installed if the configuration has keys.
func TestSigned(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, "", "modules: {wasm: {signers: ['"+base64.StdEncoding.EncodeToString(public)+"']}}")
	files := []entry{manifest("1", `"description":""}`), {"module.wasm", tiny("{}")}}
	var sums string
	for _, f := range files {
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(f.text), f.name)
	}
	signed := func(key ed25519.PrivateKey, more ...entry) []byte {
		return pack(t, append(append(more, files...), entry{"SHA256SUMS", []byte(sums)},
			entry{"SHA256SUMS.sig", ed25519.Sign(key, []byte(sums))})...)
	}
	const refused = "not signed by a key in modules.wasm.signers"
	w.refuses(refused, pack(t, files...))
	w.refuses(refused, pack(t, append(files, entry{"SHA256SUMS", []byte(sums)})...))
	w.refuses(refused, signed(other))
	w.refuses("does not match", signed(private, entry{"web/x.js", nil}))
	what, err := w.command("module install", map[string]any{"Bytes": signed(private)}, true)
	if want := "install probe 1 (signed), which is allowed to: nothing"; err != nil || what != want {
		t.Errorf("%q, %v", what, err)
	}
	w.run("module install", map[string]any{"Bytes": signed(private)})
}
