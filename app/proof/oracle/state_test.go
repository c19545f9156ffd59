package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/message"
)

// TestStateByEventsIsStateByRegister checks that the state that each client derives from events equals that of a new
// registration, whatever has happened. STOA_STATE_SEQUENCES is the number of random sequences, STOA_STATE_SEED the
// first seed.
func TestStateByEventsIsStateByRegister(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	many, seed := setting("STOA_STATE_SEQUENCES", sequences()), setting("STOA_STATE_SEED", 1)
	perServer := min(20, max(1, many/2))
	for first := 0; first < many; first += perServer {
		t.Run(fmt.Sprintf("from %d", seed+first), func(t *testing.T) {
			cacheKiB := 32 << 10
			if first/perServer%2 == 1 {
				cacheKiB = 16 // for about 16 messages
			}
			s := startAll(t, fmt.Sprintf(", messages: {cache_kib: %d}", cacheKiB))
			w := newSimulation(s)
			w.crowd()
			for i := first; i < min(first+perServer, many); i++ {
				if !w.sequence(uint64(seed + i)) {
					return
				}
			}
			if w.done < len(w.log)/4 {
				t.Errorf("of %d steps %d were not refused: the test covers too little", len(w.log), w.done)
			}
			w.restart()
			t.Log("calls that were not refused:\n", w.counts())
		})
	}
}

// startAll starts a server with all modules, and one that declares settings. config configures more modules.
func startAll(t testing.TB, config string) *kittest.Server {
	t.Helper()
	o := harness.AllOptions(", channels: {web_public_streams: true}" + config)
	o.RandomCalls = true
	return kittest.StartWith(t, o, append(harness.AllModules(), bakery)...)
}

// newSimulation returns a simulation whose steps are those of kittest's users and of a second guest.
func newSimulation(s *kittest.Server) *simulation {
	w := &simulation{s: s, names: []string{"alice", "bob", "olga", "adam", "mona", "guest"},
		others: map[string]*kittest.Client{}, calls: map[string]*[2]int{}}
	for _, n := range w.names {
		w.users = append(w.users, int64(s.UserID(n)))
	}
	w.anotherGuest()
	w.channels = []int64{int64(s.ChannelID("general")), int64(s.ChannelID("secret"))}
	return w
}

// anotherGuest creates a second guest, because guests have different access.
func (w *simulation) anotherGuest() {
	const email = "visitor@example.com"
	id := w.s.As("olga").Do("POST /users", "email", email, "full_name", "Visitor", "password",
		password).OK().Int("user_id")
	w.s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", id), "role", "600").OK()
	key := w.s.Anonymous().Do("POST /fetch_api_key", "username", email, "password", password).OK().String("api_key")
	w.names, w.users, w.others["visitor"] = append(w.names, "visitor"), append(w.users, id), w.s.WithKey(email, key)
}

// crowd subscribes so many users to a channel that mentioning all of them needs a permission.
func (w *simulation) crowd() {
	var all []int64
	for i := range message.FewReaders {
		all = append(all, w.s.As("olga").Do("POST /users", "email", fmt.Sprintf("reader%d@example.com", i), "full_name",
			fmt.Sprintf("Reader %d", i), "password", password).OK().Int("user_id"))
	}
	w.s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", kittest.JSON([]object{{"name": "general"}}),
		"principals", kittest.JSON(all), "send_new_subscription_messages", "false").OK()
}

// restart registers before and after a restart. The new node knows only what is stored, and the responses must be
// equal.
func (w *simulation) restart() {
	register := func(name string) object {
		full := everyCapability()
		m := newModel(w.as(name).Do("POST /register", append(full.params(), "event_types", "null")...).OK(), full)
		m.askSettings(w.as(name))
		flat := m.flat()
		// The port and the start time differ.
		for _, key := range []string{"realm_uri", "realm_url", "server_emoji_data_url", "server_generation"} {
			delete(flat, key)
		}
		return flat
	}
	before := map[string]object{}
	for _, n := range w.names {
		before[n] = register(n)
	}
	w.s.Restart()
	for _, n := range w.names {
		if bad := differences(n, before[n], register(n)); len(bad) > 0 {
			w.s.T.Errorf("after a restart; before and after:\n%s\n\nsteps:\n%s", strings.Join(bad[:min(len(bad), 8)], "\n"),
				strings.Join(w.log, "\n"))
		}
	}
}

// sequence runs a sequence of steps.
func (w *simulation) sequence(seed uint64) bool {
	w.rnd, w.waited = rand.New(rand.NewPCG(seed, 0)), false
	var all []*listener
	for _, n := range append(slices.Clone(w.names), one(w, w.names)) { // one of the users has two clients
		c := everyCapability()
		if len(all) == len(w.names) || w.rnd.IntN(2) == 0 {
			c = someCapabilities(w.rnd)
		}
		all = append(all, listen(w.as(n), n, c))
	}
	begin := len(w.log)
	recorded := w.record(seed)
	errs := make([]error, len(all))
	for i, l := range all {
		errs[i] = l.catchUp()
	}
	for range 14 {
		one(w, steps)(w)
		recorded.follow()
		for i, l := range all { // some poll immediately, others later
			if errs[i] == nil && w.rnd.IntN(5) == 0 {
				errs[i] = l.follow()
			}
		}
	}
	recorded.write(w.s.T)
	for i, l := range all {
		err := errs[i]
		if err == nil {
			err = l.follow()
		}
		var bad []string
		if err != nil {
			bad = []string{err.Error()}
		} else {
			bad = l.compare()
		}
		if len(bad) > 0 {
			w.s.T.Errorf("seed %d, %s (%s):\n%s\n\nsteps:\n%s\n\nevents:\n%s", seed, l.name, kittest.JSON(l.client.params()),
				strings.Join(bad[:min(len(bad), 8)], "\n"),
				strings.Join(w.log[begin:], "\n"), strings.Join(l.seen, "\n"))
			return false
		}
		l.queue.Close()
	}
	return true
}

// sequences returns the default number of random sequences.
func sequences() int {
	switch {
	case !testrun.Long() && storetest.Postgres():
		return 20
	case !testrun.Long():
		return 40
	case storetest.Postgres():
		return 100
	}
	return 400
}

// setting returns the number in an environment variable, or def.
func setting(name string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return def
}
