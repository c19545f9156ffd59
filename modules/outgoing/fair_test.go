package outgoing_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

const dropped = "The service can't keep up with its calls, so some messages were dropped."

// withConfig returns a configuration that allows internal addresses, with the given settings of the module.
func withConfig(section string) string {
	return "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, outgoing: {" + section + "}}\n" +
		allowInternal
}

// flood creates eight bots of one user, and queues a call to each of them per message.
func (w *server) flood(who string, messages int) []robot {
	w.T.Helper()
	var bots []robot
	var ids []int64
	for i := range 8 {
		r := w.robot(who, fmt.Sprintf("%s%d", who, i))
		bots, ids = append(bots, r), append(ids, r.id)
	}
	for range messages {
		w.direct(who, "go", ids...)
	}
	return bots
}

// position returns the position of a bot's first call among all, starting at 1, or 0 if the bot was not called.
func position(t *testing.T, all []request, r robot) int {
	t.Helper()
	for i, got := range all {
		if got.get(t, "bot_email") == r.email {
			return i + 1
		}
	}
	return 0
}

// Users with many queued calls do not delay the single call of another user, even if there is only one worker.
func TestOwnersTakeTurns(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, withConfig("at_once: 1, per_bot: 1"))
		w.flood("alice", 10)
		w.flood("mona", 10)
		bobs := w.robot("bob", "bobs")
		w.direct("bob", "hi", bobs.id)
		w.respond(`{}`)
		got := w.calls()
		if n := position(t, got, bobs); n != 3 {
			t.Errorf("bob's only call is number %d", n)
		}
		all := len(got)
		for range 8 {
			all += len(w.calls())
		}
		if all != 161 {
			t.Errorf("%d calls, want all", all)
		}
	})
}

// At most half of the concurrent calls are for bots of one owner, and at most three quarters for one realm.
func TestRunningCallsAreShared(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, withConfig("at_once: 4, per_bot: 4"))
		running := func(most int) []string { // another worker starts while a call is running
			var owners []string
			w.respondWith(func(n int, rw http.ResponseWriter) {
				if n <= most {
					w.RunJob(fmt.Sprintf("outgoing.call_%d", n+1))
				}
				if n == most {
					w.mu.Lock()
					for _, r := range w.requests {
						owners = append(owners, r.get(t, "bot_full_name").(string)[:3])
					}
					w.mu.Unlock()
				}
				fmt.Fprint(rw, `{}`)
			})
			w.calls()
			return owners
		}
		alice := w.flood("alice", 3)
		w.equal("of an owner", fmt.Sprint(running(2)), "[ali ali]")
		for range 3 {
			w.calls()
		}
		w.flood("bob", 0)
		for range 3 {
			w.direct("alice", "go", alice[0].id, alice[1].id)
		}
		for range 3 {
			w.post("bob", "general", "@**bob0** @**bob1**")
		}
		w.equal("of a realm", fmt.Sprint(running(3)), "[ali bob ali]")
	})
}

// The number of queued calls per owner is limited, and so is the number of bots called per message.
func TestQueueLimits(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, withConfig("at_once: 2, per_bot: 1, per_message: 8, max_waiting: 5, max_waiting_owner: 20, "+
			"warn_every: 1h"))
		bots := w.flood("alice", 0)
		var ids []int64
		for _, r := range bots {
			ids = append(ids, r.id)
		}
		ninth := w.robot("alice", "ninth")
		bobs := w.robot("bob", "bobs")
		for range 4 { // 32 calls
			w.direct("mona", "go", append(ids, ninth.id)...)
		}
		w.direct("mona", "hi", bobs.id)
		w.respond(`{}`)
		all := w.calls()
		w.Clock.Advance(time.Second)
		all = append(all, w.calls()...)
		if position(t, all, bobs) == 0 || len(all) != 21 || position(t, all, ninth) != 0 {
			t.Errorf("%d calls", len(all))
		}
		w.equal("alice's notice", w.lastNotice("alice"), noticeOf(bots[4], dropped))
		w.equal("once", fmt.Sprint(w.count("alice", notices)), "1")
		w.equal("bob gets no notice", w.newest("bob", notices), "")
	})
}
