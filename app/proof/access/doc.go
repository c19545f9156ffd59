// Package access tests who may do what: with a table for every route of the server, and with an oracle that looks for
// secrets in everything that the server sends.
//
// # The tables
//
// A row is one use of a route: how to make the request, who may enter, and whether the specification allows it. The
// test makes the request as every caller (owner, administrator, moderator, member, newcomer, guest, restricted guest,
// bot owner, bot, webhook, deactivated, other realm, spectator, anonymous) for every variant of the row's kind of
// object. For each cell it checks that the server followed the rule, that a refusal has written nothing to the realm's
// log, and that the answer for an object that the caller may not know of is, byte by byte, that for a missing object.
// The results are in testdata, one file per module; go test ./app/proof/access -update writes them.
//
// TestInventory compares the tables with testdata/inventory.tsv, the list of all operations of the interface: each has
// a call that succeeds and one that is refused, or the list gives the reason why not.
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
//			make: func(w *world, v variant, who []*caller) object {
//				id := fmt.Sprint(w.do("POST /realm/playgrounds", "name", w.fresh(), ...).Int("id")) // as kira, an owner
//				return object{map[string]string{"playground_id": id}}
//			},
//		}
//		return table{"playgrounds", "Code playgrounds.", []*row{
//			{route: "POST /realm/playgrounds", rule: "Administrators.", who: admins, with: []string{"name", "made {n}", ...}},
//			{route: "DELETE /realm/playgrounds/:playground_id", rule: "Administrators.", who: admins, on: p, lasts: true},
//		}}
//	}
//
// Parameters contain placeholders: {field} of the object; {n}, which is always new; {me} and {mymail} of the caller;
// {kira}, {carol} (a member), {lobby} (a channel with all users), {members}, {moderators}, {everyone}, {nobody}
// (groups). The path's :name is replaced by the object's field of that name. If this does not suffice, set do.
//
// The field who is the rule for entering, taken from the specification instead of the route table: anyone, spectators,
// users, senders, humans, members (no guests), moderators, admins, owners. The function may decides which of those who
// enter have permission for the object, from the cell with its caller (x.c) and variant (x.v). The function sees
// decides who may know of the object, and found reports whether a list contains it. Use a variant with each if each
// caller has their own object. Set lasts if the action cannot be repeated or undone: then each permitted caller gets a
// new object. The existing families are channels, messages, people and groups; their rules are methods of the cell
// (knows, reads, seesMessage, seesPerson).
//
// # The oracle
//
// TestNothingLeaks hides a unique word in every place that not everyone may read (names, texts, topics, edits,
// addresses, keys, ...), each with its rule. Then every caller makes all requests of all rows about the objects with
// these words, with all values of boolean parameters; registers queues in many ways and receives events; and searches.
// No word may be in an answer or event to a caller whom its rule excludes, or in the server's log. Rows in a table are
// included automatically; the secrets of a new module go into place(): hide(what, who) returns a word.
package access
