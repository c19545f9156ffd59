package messages_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// startRestricting starts a server that calls then at the end of each attempt to restrict guests.
func startRestricting(t *testing.T, url string, then func(ctx context.Context, db *bunstore.DB) error) *kittest.Server {
	slow := kit.Define("slow", "Takes its time.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		DB *bunstore.DB
	}) (kit.Parts, error) {
		return kit.Parts{Hooks: []kit.Hook{kit.On(func(ctx context.Context, m *directory.Changed) error {
			if permission.Restricts(m.Before) || !permission.Restricts(m.After) {
				return nil
			}
			return then(ctx, n.DB)
		})}}, nil
	})
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, channels.Module,
		messages.Module, events.Module, slow)
}

func restrictGuests(s *kittest.Server, group int) *kittest.Response {
	return s.As("olga").Do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%d}`, group))
}

// writeToGuest sends a message from mona to the guest, with whom she shares no channel.
func writeToGuest(s *kittest.Server) *kittest.Response {
	return s.As("mona").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("guest")), "content",
		"hi")
}

// expectSeesMona checks that the guest can see mona on all nodes and after a restart.
func expectSeesMona(t *testing.T, nodes ...*kittest.Server) {
	t.Helper()
	for _, s := range nodes {
		ask := func(who string) int {
			return s.As("guest").Do(fmt.Sprintf("GET /users/%d", s.UserID(who))).Status
		}
		kittest.Await(t, func() bool { return ask("adam") == 400 }) // the node has applied the restriction
		if got := ask("mona"); got != 200 {
			t.Errorf("the guest does not see mona, who has written to them: %d", got)
		}
	}
}

// If a conversation with a guest starts on one node while another node restricts guests, the two participants can see
// each other.
func TestRestrictedConcurrently(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		here := startRestricting(t, url, func(context.Context, *bunstore.DB) error { return nil })
		there := here.Another()
		var both sync.WaitGroup
		both.Go(func() { restrictGuests(here, 6).OK() })
		both.Go(func() { writeToGuest(there).OK() })
		both.Wait()
		expectSeesMona(t, here, there)
		here.Restart()
		expectSeesMona(t, here)
	})
}

// As above, but the restriction is on its last retry, which locks the realm first, and the conversation starts right
// after the existing ones have been read.
func TestRestrictedOnLastRetry(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		if url == kittest.Memory {
			t.Skip("SQLite has one writer")
		}
		var there *kittest.Server
		var write sync.WaitGroup
		attempts := 0
		here := startRestricting(t, url, func(ctx context.Context, db *bunstore.DB) error {
			if attempts++; attempts < 3 {
				_, err := db.From(ctx).NewRaw("DO $$ BEGIN RAISE EXCEPTION 'once more' USING ERRCODE = '40001'; END $$").Exec(ctx)
				return err
			}
			write.Go(func() { writeToGuest(there).OK() })
			kittest.Await(t, func() bool {
				var n int
				err := db.From(ctx).NewRaw(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(ctx, &n)
				if err != nil {
					t.Fatal(err)
				}
				return n > 0
			})
			return nil
		})
		there = here.Another()
		restrictGuests(here, 6).OK()
		write.Wait()
		if attempts != 3 {
			t.Errorf("%d attempts", attempts)
		}
		expectSeesMona(t, here, there)
		here.Restart()
		expectSeesMona(t, here)
	})
}
