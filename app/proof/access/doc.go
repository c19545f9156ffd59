// Package access holds the proof of who may do what: a table for every route of the server, and an oracle that looks
// for secrets in everything that it says.
//
// # The tables
//
// A row is one use of a route: how to ask, who may come in, and whether the rules of the specification allow it. The
// test asks it as every caller (owner, administrator, moderator, member, newcomer, guest, restricted guest, bot owner,
// bot, webhook, deactivated, other realm, spectator, anonymous) about every variant of the row's kind of object, and
// demands of each cell that the server did what the rule says; that a refusal has written nothing to the realm's log;
// and that of an object that the caller may not know of the answer is, byte by byte, that for an object that is not
// there. What came out is in testdata, a file for each module: read it there. go test ./app/proof/access -update writes
// it.
//
// TestInventory compares the tables with testdata/inventory.tsv, the list of all operations of the interface: each has
// a call that succeeds and one that is refused, or the list says why not.
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
//			missing:  map[string]string{"playground_id": "987654321"}, // the same fields, of one that is not there
//			make: func(w *world, v variant, who []*caller) object {
//				id := fmt.Sprint(w.do("POST /realm/playgrounds", "name", w.fresh(), ...).Int("id")) // kira, an owner, makes it
//				return object{map[string]string{"playground_id": id}}
//			},
//		}
//		return table{"playgrounds", "Code playgrounds.", []*row{
//			{route: "POST /realm/playgrounds", rule: "Administrators.", who: admins, with: []string{"name", "made {n}", ...}},
//			{route: "DELETE /realm/playgrounds/:playground_id", rule: "Administrators.", who: admins, on: p, lasts: true},
//		}}
//	}
//
// Parameters hold placeholders: {field} of the object; {n}, which is never the same; {me} and {mymail} of the caller;
// {kira}, {carol} (a member), {lobby} (a channel with everybody), {members}, {moderators}, {everyone}, {nobody}
// (groups). The path's :name takes the object's field name. Where this does not do, give do.
//
// The door, who, is written down from the specification, not taken from the route table: anyone, spectators, users,
// senders, humans, members (no guests), moderators, admins, owners. May says of those who come in who may do it to this
// object: a function of the cell, that is of the caller (x.c) and the variant (x.v). Sees says who may know of the
// object, found whether a list has it in it. An object of which each caller has an own is a variant with each. Lasts is
// for what can't be repeated or undone: the object is made anew for each caller who may. Families that are there:
// channels, messages, people, groups; their rules are methods of the cell (knows, reads, seesMessage, seesPerson).
//
// # The oracle
//
// TestNothingLeaks hides a word in every place that not everybody may read (names, texts, topics, edits, addresses,
// keys, ...), each with its rule. Then every caller makes all requests of all rows about what the words are in, with
// all parameters that are true or false; registers in many ways, and hears what happens; and searches. No word may be
// in anything that comes back to somebody whom its rule does not name, nor in the server's log. A row in a table is
// enough to be asked; the secrets of a new module go into place(): hide(what, who) gives a word.
package access
