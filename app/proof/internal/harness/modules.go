package harness

import (
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// AllModules returns all modules except the demo, with an adapter that sends no mail.
func AllModules() []kit.Module {
	var ms []kit.Module
	for _, m := range standard.Modules() {
		if m.Name != "demo" && m.Slot != "mail" {
			ms = append(ms, m)
		}
	}
	return append(ms, mailtest.QuietModule)
}

// AllOptions returns options for AllModules, with additional module settings.
func AllOptions(settings string) kittest.Options {
	return kittest.Options{Clock: kittest.NewTickingClock(),
		Config: "http: {rate_limits: {enabled: false}}\n" +
			"adapters: {push: {use: relay, url: 'http://127.0.0.1:9', server_id: s, server_key: k}}\n" +
			"modules: {accounts: {change_emails: true, password_memory_kib: 64, password_passes: 1}" + settings + "}"}
}

// StartAll starts a server with all modules in the test's process.
func StartAll(t testing.TB) *kittest.Server { t.Helper(); return StartAllWith(t, "") }

// StartAllWith is StartAll with additional module settings.
func StartAllWith(t testing.TB, settings string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, AllOptions(settings), AllModules()...)
}
