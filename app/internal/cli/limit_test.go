package cli_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

// What a user has left of the rate limits is shown, and given back, by the running server only.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stoa(t, "", "init", "--realm", "R", "--owner-email", "o@example.com", "--owner-name", "O", "--data-dir", dir).ok(t)
	command := func(words string) result {
		return stoa(t, "", append(strings.Fields(words), "--data-dir", dir)...)
	}
	command("limit show --email o@example.com").fails(t, 5, "no server is running at "+dir)
	s := serveIn(t, []string{"STOA_HTTP_RATE_LIMITS_ENABLED=true"}, standard.Modules(), "--data-dir", dir)
	left := func(limit string) float64 {
		t.Helper()
		for _, u := range decoded[[]map[string]any](t, command("limit show --email o@example.com --json")) {
			if u["limit"] == limit {
				return u["size"].(float64) - u["left"].(float64)
			}
		}
		t.Fatalf("there is no limit %q", limit)
		return 0
	}
	if n := left("failed_logins"); n != 0 {
		t.Errorf("before: %v", n)
	}
	for range 2 {
		ask(t, "POST", s.url+"/api/v1/fetch_api_key", "", "",
			url.Values{"username": {"O@example.com"}, "password": {"wrong"}})
	}
	if n, all := left("failed_logins"), left("failed_logins, all addresses"); n != 2 || all != 2 {
		t.Errorf("after two wrong passwords: %v, %v", n, all)
	}
	command("limit show --email nobody@example.com").fails(t, 3, "nobody@example.com")
	command("limit show --email o@example.com --realm-id 77").fails(t, 3, "no realm 77")
	if r := command("limit reset --email o@example.com").ok(t); !strings.Contains(r.out, "o@example.com") {
		t.Error(r.out)
	}
	if n := left("failed_logins") + left("failed_logins, all addresses"); n != 0 {
		t.Errorf("after the reset: %v", n)
	}
	if r := command("audit list --json").ok(t); !strings.Contains(r.out, `"user.limits_reset"`) {
		t.Error(r.out)
	}
	s.stop(0)
}
