package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigOnline tries providers: one that works, one whose metadata is that of another issuer, and a mail server
// that does not exist.
func TestConfigOnline(t *testing.T) {
	t.Parallel()
	var provider *httptest.Server
	provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = map[string]any{"keys": []any{map[string]string{"kty": "RSA"}}}
		switch r.URL.Path {
		case "/.well-known/openid-configuration", "/other/.well-known/openid-configuration":
			answer = map[string]any{
				"issuer": provider.URL, "authorization_endpoint": provider.URL + "/a", "token_endpoint": provider.URL + "/t",
				"jwks_uri": provider.URL + "/keys",
			}
		case "/keys":
		default:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer provider.Close()
	check := func(issuer, more string) result {
		t.Helper()
		file := filepath.Join(t.TempDir(), "stoa.yaml")
		text := "http: {url: https://chat.example.com}\nmodules:\n  standard: {}\n  oidc: {providers: [{id: corp, issuer: " +
			issuer + ", client_id: stoa, client_secret: secret}]}\n" + more
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return stoa(t, "", "config", "check", "--online", "--config", file)
	}
	r := check(provider.URL, "")
	if r.code != 0 || !strings.HasPrefix(r.out, "ok: ") || !strings.Contains(r.out, " services answer\n") {
		t.Errorf("%d: %s%s", r.code, r.out, r.err)
	}
	r = check(provider.URL+"/other", "adapters:\n  mail: {use: smtp, host: 127.0.0.1, port: 1, from: stoa@example.com}\n")
	for _, want := range []string{
		"modules.oidc.providers.0.issuer: corp cannot be used: ", "compare issuer with the provider's own settings",
		"adapters.mail: ",
	} {
		if r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%q is missing: %d: %s%s", want, r.code, r.out, r.err)
		}
	}
}
