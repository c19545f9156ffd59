// Package bench contains the benchmarks of the whole program. Benchmarks of a single module are in its own package.
//
// make bench runs those with a budget on SQLite and PostgreSQL, and writes RESULTS.md. A budget is a ratio to a
// reference measured in the same run, such as a durable commit of one row or a bare Fiber server, because times depend
// on the machine; without a reference it is a time or an amount of memory. The table marks budgets that were missed.
// Repeat such a benchmark alone, on an otherwise idle machine, and find the cause with -cpuprofile:
//
//	.ci/postgres --durable go test ./app/proof/bench -run '^$' -bench '^BenchmarkSend$' -benchtime 1x
//
// STOA_TEST_DATABASE=postgres selects PostgreSQL. make bench-large measures what users pay for a million messages of
// others, make bench-web the web client, and make abuse what a malicious member costs the others; that has no budgets.
//
// A new benchmark reports its result, that of its reference, and the ratio, each in a unit of its own. Add the
// benchmark to runs in budgets/main.go, and a row with its name, these units and the budget to budgets/rows.go. Clients
// that would compete with the server for memory and the processor are processes of their own (sender_test.go).
package bench
