// Package access tests access control: with tables that cover every route of the server, and with a search for secrets
// in everything that the server sends.
//
// # The tables
//
// A row is one use of a route: how to make the request, who is allowed to call the route, and whether the specification
// allows it. The test makes the request as every caller (owner, administrator, moderator, member, newcomer, guest,
// restricted guest, bot owner, bot, webhook, deactivated, other realm, spectator, anonymous) for every variant of the
// row's kind of object. For each cell it checks that the server followed the rule, that a refusal has written nothing
// to the realm's log, and that the response for an object that the caller must not know about is, byte by byte, that
// for a missing object. The results are in testdata, one file per module; go test ./app/proof/access -update writes
// them. Unless STOA_TEST_LONG is 1, only every third variant of the large families is tested.
//
// A failure names the row, the caller, the kind of object and the outcome. "Allowed, but the rule refuses it" is a hole
// in the handler or a wrong rule; the specification decides which. "What is there and what is not are told apart" is
// followed by the two responses, which must be equal. A result that differs from testdata although all rules hold is a
// changed error: read the difference before you run the test with -update. Run one table alone with
// go test ./app/proof/access -run TestAccess/channels.
//
// TestInventory compares the tables with testdata/inventory.tsv, which lists all operations of the API. Each must have
// a request that succeeds and one that is refused, unless the list gives the reason why not.
//
// # A new module
//
// A route without a row fails TestEveryRouteHasARow. Write a function in a file rows_<module>_test.go, and add it to
// tables():
//
//	func playgroundsTable() table {
//		p := &family{
//			name:     "playground",
//			variants: []variant{{kind: "playground"}},
//			missing:  map[string]string{"playground_id": "987654321"}, // the same fields of a missing object
//			make: func(w *fixture, v variant, who []*caller) object {
//				id := fmt.Sprint(w.do("POST /realm/playgrounds", "name", w.fresh(), ...).Int("id")) // as olga, an owner
//				return object{map[string]string{"playground_id": id}}
//			},
//		}
//		return table{"playgrounds", "Code playgrounds.", []*row{
//			{route: "POST /realm/playgrounds", rule: "Administrators.", who: admins, with: []string{"name", "made {n}", ...}},
//			{route: "DELETE /realm/playgrounds/:playground_id", rule: "Administrators.", who: admins, on: p, lasts: true},
//		}}
//	}
//
// Parameters contain placeholders: {field} is a field of the object; {n} is always new; {me} and {mymail} are the
// caller's ID and email address; {olga}, {bob} (a member), {lobby} (a channel with all users), {members},
// {moderators}, {everyone} and {nobody} (groups) are IDs. :name in the path is replaced by the object's field of that
// name. If this does not suffice, set do.
//
// The field who is the rule for calling the route, taken from the specification instead of the route table: anyone,
// spectators, users, senders, humans, members (no guests), moderators, admins, owners. The function may decides which
// of these callers the handler permits, by the object or by a setting, given the cell with its caller (x.c) and variant
// (x.v). The function sees decides who may know about the object, and found reports whether a list contains it. Use a
// variant with each if every caller has an object of their own. Set lasts if the action cannot be repeated or undone;
// then every permitted caller gets a new object. The existing families are channels, messages, people and groups. Their
// rules are methods of the cell (canSee, canRead, seesMessage, seesPerson).
//
// # The search for secrets
//
// TestNothingLeaks hides a unique word in every place that not everyone can read (names, texts, topics, edits,
// addresses, keys, ...), each with its rule. Then every caller makes all requests of all rows about the objects with
// these words, with all values of boolean parameters, registers queues in many ways to receive events, and searches. No
// word may appear in the server's log, or in a response or event to a caller whom its rule excludes. Rows in a table
// are included automatically. Add the secrets of a new module in place(): hide(what, who) returns a word.
package access
