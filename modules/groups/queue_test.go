package groups_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// register opens a queue for groups.
func register(c *kittest.Client, params ...string) *kittest.Queue {
	return c.Register(append(params, "event_types", `["user_group"]`, "fetch_event_types", `["realm_user_groups"]`)...)
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
