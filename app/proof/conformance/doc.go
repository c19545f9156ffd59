// Package conformance tests what holds for all routes, modules and limits, and that existing clients can read what the
// server sends.
//
// The tests derive what to check from the modules' declarations, so they fail for something new that is not covered.
// Such a failure names the route, table, job or limit, and the list in the test that needs an entry for it.
//
//   - TestBadInputChangesNothing, TestWrongTypes and TestNUL (input_test.go) send invalid values to all routes. A
//     failure prints the request: validate it in the handler, or in the type of the parameter.
//   - TestRealmsAreIsolated (realms_test.go) uses the IDs of one realm in another, where they must not exist. A new
//     route with an ID needs a request in withID. A failure prints the two responses that differ.
//   - TestDeletedRealm (erase_test.go) checks that nothing of a deleted realm is left. A new table needs rows, made in
//     fill, or an entry in emptyTables.
//   - TestJobsLeaveRealmsAlone and TestBacklogs (jobs_test.go, backlogs_test.go) check that an idle server does
//     nothing. A job that runs often needs a kit.Backlog.
//   - TestNoUserUsesUpALimit and TestEveryLimitIsShared (shares_test.go) check that no user can take all of what has a
//     maximum per realm. A new limit needs an entry in limitedKinds, or in limitedElsewhere with the reason.
//
// # Existing clients
//
// TestExistingClientsCanReadIt plays testdata/clients/scenario.txt and compares every response and event with what the
// mobile apps, the terminal client and the desktop app expect: testdata/clients/*.txt. A failure names the client, the
// record, the path within it, and what was expected there: these clients crash on it, so change the server. A new event
// of a type that a client knows needs a line of the scenario that causes it, or an entry in neverSent; clients ignore
// events of other types. calls.txt lists the clients' requests.
// TestWebClientCallsExistingRoutes checks those in the source of the web client.
package conformance
