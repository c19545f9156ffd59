package bunstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestURLForms checks that a database can be opened by all forms of its URL: with several hosts, of which the first
// does not respond, with and without target_session_attrs, and as keywords and values.
func TestURLForms(t *testing.T) {
	u, err := url.Parse(storetest.PostgresURL(t))
	must(t, err)
	const closed = "127.0.0.1:1"
	several := *u
	several.Host = closed + "," + u.Host
	password, _ := u.User.Password()
	keywords := fmt.Sprintf("host=%s port=%s user=%s password='%s' dbname=%s sslmode=disable", u.Hostname(), u.Port(),
		u.User.Username(), password, u.Path[1:])
	for _, form := range []string{u.String(), several.String(), keywords} {
		attrs := "&target_session_attrs="
		if form == keywords {
			attrs = " target_session_attrs="
		}
		for _, form := range []string{form, form + attrs + "any", form + attrs + "read-write", form + attrs + "primary"} {
			db, err := bunstore.Open(bg, bunstore.Config{URL: form})
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			for _, p := range []bunstore.Purpose{bunstore.Reading, bunstore.Changing, bunstore.Batching} {
				tx, _, err := db.Begin(bg, p)
				if err != nil {
					t.Errorf("%s: %v", form, err)
					continue
				}
				tx.Rollback()
			}
			must(t, db.Close())
		}
	}
}

// TestServerThatOnlyReads checks that a server that accepts no changes, such as a standby, is not used, and is reported
// as something that may pass.
func TestServerThatOnlyReads(t *testing.T) {
	at := storetest.PostgresURL(t)
	admin, err := sql.Open("pgx", at)
	must(t, err)
	defer func() { _ = admin.Close() }()
	var name string
	must(t, admin.QueryRow("SELECT current_database()").Scan(&name))
	_, err = admin.Exec("ALTER DATABASE " + name + " SET default_transaction_read_only = on")
	must(t, err)
	db := storetest.OpenURL(t, bunstore.Config{URL: at, Lazy: true})
	err = db.Ping(bg)
	var cause *bunstore.OpenError
	if !errors.As(err, &cause) || cause.Permanent || !db.Passing(err) || !db.Lost(err) {
		t.Errorf("got %v", err)
	}
	_, err = admin.Exec("ALTER DATABASE " + name + " SET default_transaction_read_only = off") // promoted
	must(t, err)
	must(t, db.Ping(bg))
}

// TestPassing checks which problems are worth waiting for.
func TestPassing(t *testing.T) {
	u, err := url.Parse(storetest.PostgresURL(t))
	must(t, err)
	at := func(user, host, name string) string {
		v := *u
		v.User, v.Host, v.Path = url.User(user), host, "/"+name
		return v.String()
	}
	user := u.User.Username()
	for _, c := range []struct {
		url     string
		passing bool
	}{
		{at(user, "127.0.0.1:1", "x"), true},
		{at(user, "nowhere.invalid:5432", "x"), true},
		{at(user, u.Host, "missing"), false},
		{at("nobody_at_all", u.Host, u.Path[1:]), false},
		{at(user, u.Host, u.Path[1:]) + "&nonsense=1", false},
	} {
		db := storetest.OpenURL(t, bunstore.Config{URL: c.url, Lazy: true})
		if err := db.Ping(bg); err == nil || db.Passing(err) != c.passing {
			t.Errorf("%s: passing %v: %v", c.url, db.Passing(err), err)
		}
	}
	db := storetest.OpenURL(t, bunstore.Config{URL: u.String(), Lazy: true})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if err := db.Ping(ctx); err == nil {
		t.Error("a canceled ping succeeded")
	}
}
