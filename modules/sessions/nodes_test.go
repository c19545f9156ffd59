package sessions_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Failed logins on one node count on the others: whoever guesses has no more attempts with several nodes than with one.
// On SQLite there is only one server, so that there is nothing to tell.
func TestFailuresOnOtherNode(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		here := kittest.StartWith(t, kittest.Options{
			Config:      "http: {rate_limits: {enabled: true, failed_logins: 2, per_address: 100000}}",
			DatabaseURL: kittest.Real(t, database),
		}, modules...)
		if !here.App.DB().Notifies() {
			if err := here.App.RunJob(t.Context(), "server.limits"); err == nil {
				t.Error("a server that is alone tells others of its limits")
			}
			return
		}
		there := here.Another()
		kittest.Await(t, func() bool { // both nodes listen
			var n int
			err := here.App.DB().From(t.Context()).NewRaw(`SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE 'LISTEN %'`).Scan(t.Context(), &n)
			return err == nil && n == 2
		})
		fetch := func(n *kittest.Server, name, password string) *kittest.Response {
			return n.Anonymous().Do("POST /fetch_api_key", "username", name+"@example.com", "password", password)
		}
		for range 3 {
			fetch(there, "bob", kittest.Password).OK() // what succeeds is given back
		}
		there.RunJob("server.limits")
		for range 2 {
			fetch(there, "alice", "wrong").Error(401, "AUTHENTICATION_FAILED", "")
		}
		there.RunJob("server.limits")
		kittest.Await(t, func() bool { return fetch(here, "alice", kittest.Password).Status == 429 })
		fetch(there, "alice", kittest.Password).Error(429, "RATE_LIMIT_HIT", "")
		fetch(here, "bob", kittest.Password).OK()
	})
}
