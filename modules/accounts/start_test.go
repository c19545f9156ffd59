package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
)

// start starts a server with cheap password hashing.
func start(t *testing.T, settings ...string) *kittest.Server {
	t.Helper()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1" +
		strings.Join(append([]string{""}, settings...), ", ") + "}}"
	return kittest.StartWith(t, kittest.Options{Config: config}, realm.Module, accounts.Module, channels.Module,
		events.Module)
}

// startOn is like start, with the given database.
func startOn(t *testing.T, url string, more ...kit.Module) *kittest.Server {
	t.Helper()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: config},
		append(more, realm.Module, accounts.Module, channels.Module, events.Module)...)
}

// path replaces %d in format by the ID of a test user.
func path(s *kittest.Server, format, name string) string { return fmt.Sprintf(format, s.UserID(name)) }

// same compares lists of JSON texts whose keys are sorted.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
