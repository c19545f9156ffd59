// Package crash runs the real program in processes of its own, because it kills, stops and disconnects them, and
// upgrades their databases.
//
// A failure means that something acknowledged was lost, happened twice or out of order, that a valid request was
// refused, or that a server did not recover by itself. Most moments are random, so a failure may need several runs
// (-count=20) to occur again. The differences come first: what was acknowledged, and what is stored or was delivered.
// The log of a process is in the field Log of the server; STOA_LOG_LEVEL=debug adds requests.
//
// The tests run on the database of STOA_TEST_DATABASE, sqlite or postgres. Those of a cluster (TestCluster...) need
// PostgreSQL, and run fully only in make cluster, which has its own database server that it can restart
// (STOA_TEST_ALONE), and prints a table of the messages that were lost, duplicated or refused in each fault.
//
// # A new case
//
// For a feature with work in the background, start a server with harness.NewServer, make requests from a goroutine,
// kill and start the server while they are made, and compare what was acknowledged with what is there; see
// scheduled_test.go. A fault of a cluster is a function passed to (*cluster).trouble, in a test whose name begins with
// TestCluster. A table with leases needs an entry in leaseCases (leases_test.go), or TestLeases fails.
//
// # Two versions
//
// TestClusterUpgrade replaces nodes by those of a later version. Both are the test's own binary (runVersion), with a
// module whose table the later version changes by an expand and a contract migration.
//
// # The fixtures of the upgrade test
//
// TestUpgrade starts the server with a database of an earlier version, and compares responses with those of that
// version in testdata/upgrade/want.json. If a migration is wrong, the server does not start and its log names the
// migration; if it loses data, the failure names the path within a response, the value, and the one expected. New
// fields are ignored. Never adapt want.json to such a failure: fix the migration.
//
// Fixtures of another version are made with that version, in a checkout of its tag. They replace the old ones, or go
// into a folder of their own, with the keys of their owners in upgrade_test.go:
//
//	make build
//	export STOA_SECRET=0123456789abcdef0123456789abcdef
//	bin/stoa init --data-dir /tmp/old --realm Old --owner-email o@example.com --owner-name Owner --json
//	bin/stoa serve --data-dir /tmp/old
//
// init prints the owner's key. Make requests as the owner that leave rows in as many tables as possible: the steps of
// package oracle show which there are. Then store the responses to the requests in the keys of want.json, as objects by
// path, without times, addresses of files, and whatever differs between the two databases; /messages is requested with
// anchor=newest and num_before=200, and /register by POST. Stop the server, and compress its database:
//
//	gzip -9 </tmp/old/stoa.db >sqlite.db.gz
//
// Do the same on PostgreSQL, with STOA_DATABASE_URL and the same requests, and compress its dump. The test executes it
// as SQL, so it must not contain commands of psql:
//
//	pg_dump --no-owner --inserts --rows-per-insert=1000 "$STOA_DATABASE_URL" | grep -v '^\\' | gzip -9 >postgres.sql.gz
//
// Finally run the test on both databases:
//
//	go test ./app/proof/crash -run TestUpgrade
//	STOA_TEST_DATABASE=postgres .ci/postgres go test ./app/proof/crash -run TestUpgrade
package crash
