package bunstore_test

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// A process that hangs while it registers must not keep the migration lock, which all processes need. A migration may
// take as long as it needs.
func TestHungHolderOfMigrationLock(t *testing.T) {
	db := storetest.OpenURL(t, bunstore.Config{URL: storetest.PostgresURL(t), Patience: 1})
	check := func(want string) func(context.Context) error {
		return func(ctx context.Context) error {
			var got string
			err := db.From(ctx).NewRaw("SELECT concat_ws(' ', current_setting('idle_in_transaction_session_timeout'), "+
				"current_setting('lock_timeout'), current_setting('statement_timeout'))").Scan(ctx, &got)
			if got != want {
				t.Errorf("timeouts %s, want %s", got, want)
			}
			return err
		}
	}
	must(t, db.WithMigrationLock(bg, check("2s 0 0")))
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	next := []bunstore.Migrations{{Module: "m", FS: files(things, "CREATE TABLE more (id bigint)")}}
	must(t, db.Upgrade(bg, next, bunstore.Upgrade{Allowed: check("0 0 0")}))
}
