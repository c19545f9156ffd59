// Package nodes knows which processes use the database: servers, and commands that change data. Each has a row in the
// table nodes, which it renews every few seconds and deletes when it stops.
//
// A lease is a column with the ID of the node that holds it (kit.Lease). It needs no renewal of its own: whatever a
// node holds is free when its row is gone (bunstore.Free), and the transaction that deletes the row empties the column
// and makes the leased rows due. So there is a single rule for all leases:
//
//   - A node whose row has not changed for deadAfter is dead, and any other node deletes its row. Each node measures
//     this with its own monotonic clock, from the time at which it first saw the row in its present state, so neither
//     differences between clocks nor a clock that is set matter. The deletion fails if the row has been renewed
//     meanwhile.
//   - A node that could not renew its row for holdFor, which is shorter, ends the contexts of all work for which it
//     holds leases, before any other node takes over. It then continues with a new row and a new ID.
//
// A process that was stopped and continues may notice this late. Therefore the statement that ends leased work repeats
// the condition that the lease is still held, or that the row is still the one that was read.
//
// The rows also guard the schema: a migration that breaks nodes which do not know it is not applied while such nodes
// are alive (Guard).
//
// The nodes also share whether they only read: the table maintenance, which they look at with every renewal.
package nodes
