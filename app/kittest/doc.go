// Package kittest runs a real server within a test: HTTP, kernel, database and the modules under test, accessed by
// HTTP.
//
//	func TestSet(t *testing.T) {
//		s := kittest.Start(t, birthdays.Module)
//		s.As("alice").Do("POST /birthdays", "day", "1990-02-28").Is(200, `{"result":"success","msg":""}`)
//		s.As("guest").Do("GET /birthdays").Error(400, "BAD_REQUEST", "guest")
//		s.Events(`birthdays/set everyone {"user_id":1,"day":"1990-02-28"}`)
//	}
//
// # Users and channels
//
// The server has one realm, with alice and bob (members), olga (owner), adam (administrator), mona (moderator), guest
// (a guest) and bot (a generic bot of alice). The subscribers of the public channel general are alice, bob, olga, guest
// and bot, those of the private channel secret are alice and olga. UserID and ChannelID return IDs. Email addresses are
// name@example.com.
//
// The realm's send_channel_events_messages is false, so that a test sees only the messages that it sends.
//
// Only the modules passed by the test run. The users and channels above are created through the ports of the modules
// realm, accounts and channels. For those that are missing, kittest provides stand-ins with fixed facts. A test in
// package x_test may import other modules:
//
//	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module)
//
// # Requests
//
// As(name) returns a client with that user's key, and Anonymous one without a key. LogIn(name) issues a new key, as
// needed after a user was deactivated and reactivated. Do("METHOD /path", name, value, ...) sends parameters in the
// query for GET and HEAD, and URL-encoded in the body otherwise. Values are sent unchanged; JSON encodes a Go value.
// Paths are relative to /api/v1, which Under("/json") and Under("") change. The Response is checked with Is (status and
// complete body), OK or Error, or read with Get and JSON. In expected JSON, the string "*" matches any value.
//
// Upload sends a file in a multipart form. Redirects are not followed.
//
// For anything else, use s.URL with s.Client. In a subtest use s.In(t), so that the subtest reports failures.
//
// # Events
//
// s.Events(lines...) checks that the realm's log has exactly these entries since the last call, or since kittest
// created the realm. Each line is
//
//	type/op audience payload
//
// without /op if the type has none. The audience is everyone, nonguests, admins, admins+alice, nobody, user:alice,
// users:alice,bob, subscribers:general, knowing:general or seeing:alice, followed by -name for each excluded user. The
// payload is the JSON in the log, with "*" as above. Without a payload, any payload matches.
//
// Events received by a client are read from its queue. q := s.As("bob").Register("event_types", `["message"]`)
// registers a queue, and q.Is(...) checks that it has received exactly these events since the last call. q.Next,
// q.Texts and q.Take return them, q.Poll and q.Wait poll without taking any, and q.Start is the response to POST
// /register.
//
// # Time, jobs, restarts
//
// s.Clock stands still until Advance or Set. A NewTickingClock in Options.Clock advances each time it is read. Jobs run
// only by s.RunJob("module.job"). s.Restart stops the server and starts another one on the same database; s.Another
// starts an additional one. s.Renew renews the leases of a node, and frees those of nodes that seem to have died.
// s.Ports gives access below HTTP, for hook events and ports without a route. s.Do runs a unit of work.
//
// Rate limits are disabled unless Options.Config has http.rate_limits. Password hashing is cheap unless it sets the
// costs.
//
// # Databases
//
// The database is SQLite in memory, or with STOA_TEST_DATABASE=postgres a new database on the server of
// STOA_TEST_POSTGRES_URL. EachDatabase runs a test on both, or only on the one that STOA_TEST_DATABASE selects. Use it
// for tests of SQL that may behave differently: make test repeats only such tests on PostgreSQL
// (STOA_TEST_SCOPE=marked), make test-long repeats all tests.
//
// Tests with the same modules get copies of one prepared database, and a new server on each copy. Only in the first
// such test of a package, and in tests that provide a database, does the test's own server create the realm. Modules
// are the same if they come from the same call of kit.Define or kit.Provide. For a module that a test defines itself,
// everything is created for that test, so that its hooks run.
package kittest
