// Package kittest runs a real server within a test: edge, kernel, database and the modules under test, reached by HTTP.
//
//	func TestSet(t *testing.T) {
//		s := kittest.Start(t, birthdays.Module)
//		s.As("alice").Do("POST /birthdays", "day", "1990-02-28").Is(200, `{"result":"success","msg":""}`)
//		s.As("guest").Do("GET /birthdays").Error(400, "BAD_REQUEST", "guest")
//		s.Events(`birthdays/set everyone {"user_id":1,"day":"1990-02-28"}`)
//	}
//
// # Who is there
//
// One realm, with alice and bob (members), olga (owner), adam (administrator), mona (moderator), guest (a guest) and
// bot (a generic bot of alice). The public channel general has the subscribers alice, bob, olga, guest and bot; the
// private channel secret has alice and olga. Ask for ids with UserID and ChannelID. E-mail addresses are
// name@example.com.
//
// The realm does not want notices in channels (send_channel_events_messages is false), so that a test meets the
// messages that it sends and no others.
//
// Modules that the test does not pass are not there. The facts above come from the modules realm, accounts and channels
// where they are passed, made through their ports; whichever is missing is stood in for by kittest, with facts that
// stay as they are. A test from package x_test may import other modules:
//
//	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module)
//
// # Asking
//
// As(name) gives a client with that person's key, Anonymous one without; LogIn(name) gives them another key, as they
// need when they have been deactivated and are back. Do("METHOD /path", name, value, ...) sends parameters in the query
// for GET and HEAD, urlencoded in the body otherwise; values are sent as they are, JSON makes one of a Go value. Paths
// are under /api/v1; Under("/json") and Under("") change that. The Answer is checked with Is (status and whole body),
// OK, Error, or read with Get and JSON. In expected JSON the string "*" stands for any value.
//
// Upload sends a file in a multipart form. Answers that lead elsewhere are not followed.
//
// For anything else use s.URL with s.Client. In a subtest use s.In(t), so that the subtest is what fails.
//
// # Events
//
// s.Events(lines...) demands exactly these entries of the realm's log since the last call (what kittest made at first
// does not count); each is
//
//	type/op audience payload
//
// with no /op where the type has none, and an audience of everyone, nonguests, admins, admins+alice, nobody,
// user:alice, users:alice,bob, subscribers:general, knowing:general or seeing:alice, followed by -name for each who is
// left out. Payload is the JSON written to the log, with "*" as above; a line without payload does not look at it.
//
// What a client receives is read from its queue: q := s.As("bob").Register("event_types", `["message"]`) registers one,
// and q.Is(...) demands exactly these events since the last call. q.Next, q.Texts and q.Take give them to look at,
// q.Poll and q.Wait ask without taking any; q.Start is the answer to POST /register.
//
// # Time, jobs, restarts
//
// s.Clock stands still until Advance or Set; NewTickingClock, as Options.Clock, goes on at each reading. Jobs run only
// when the test says s.RunJob("module.job"). s.Restart stops the server and starts another on the same database,
// s.Another starts one beside it. s.Ports reaches below the edge, for moments and ports without a route; s.Do runs a
// unit of work.
//
// Rate limits are off unless Options.Config has http.rate_limits, and passwords are hashed cheaply unless it has the
// costs.
//
// # Databases
//
// SQLite in memory, or with STOA_TEST_DATABASE=postgres a new database of the server that STOA_TEST_POSTGRES_URL names.
// EachDatabase runs a test on both, or where STOA_TEST_DATABASE is set on that one alone. Use it for a test that runs
// SQL of its module that the two databases may take differently: make test repeats only such tests of a module on
// PostgreSQL (STOA_TEST_SCOPE=marked), and make test-long all tests.
//
// Tests of the same modules get copies of one database in which everybody has been made already, and meet a server that
// has just started on it. Only the first such test of a package sees its own server make them, and those that bring a
// database. Modules are the same when they come from one call of kit.Define or kit.Provide: with one that a test
// defines for itself everything is made for that test, so that its hooks hear of it.
package kittest
