package oracle_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// simulation is the state that random steps depend on. Steps may fail, since permissions are not what is tested.
type simulation struct {
	s        *kittest.Server
	rnd      *rand.Rand
	names    []string                   // users who make changes and follow their queues
	others   map[string]*kittest.Client // clients of users other than kittest's
	users    []int64
	extras   []int64 // created by steps; possibly deactivated
	bots     []int64 // created by steps
	channels []int64
	groups   []int64
	folders  []int64
	fields   []int64
	grounds  []int64 // playgrounds
	bundles  []int64 // default channel groups
	posts    []post  // messages
	made     int
	log      []string
	done     int                // successful steps
	calls    map[string]*[2]int // number of requests, and of successful ones
	waited   bool               // whether this sequence has advanced the clock by days
}

func one[T any](w *simulation, of []T) T { return of[w.rnd.IntN(len(of))] }

func (w *simulation) some(of []int64) string {
	ids := []int64{one(w, of)}
	for w.rnd.IntN(2) == 0 && len(ids) < 3 {
		ids = append(ids, one(w, of))
	}
	return kittest.JSON(ids)
}

func (w *simulation) flag() string { return fmt.Sprint(w.rnd.IntN(2) == 0) }

func (w *simulation) name(kind string) string {
	w.made++
	return fmt.Sprintf("%s %d", kind, w.made)
}

// manager usually returns a user with almost all permissions, so that most steps succeed.
func (w *simulation) manager() string {
	if w.rnd.IntN(4) == 0 {
		return one(w, w.names)
	}
	return one(w, []string{"olga", "olga", "adam"})
}

func (w *simulation) as(who string) *kittest.Client {
	if c := w.others[who]; c != nil {
		return c
	}
	return w.s.As(who)
}

func (w *simulation) do(who, call string, params ...string) *kittest.Response {
	return w.note(who, call, params, w.as(who).Do(call, params...))
}

var numbers = regexp.MustCompile("[0-9]+")

// note records a request and its response.
func (w *simulation) note(who, call string, params []string, a *kittest.Response) *kittest.Response {
	w.log = append(w.log, fmt.Sprintf("%s: %s %s -> %d %.160s", who, call, strings.Join(params, " "), a.Status, a.Body))
	if a.Status >= 500 {
		w.s.T.Fatalf("%s", strings.Join(w.log, "\n"))
	}
	n := w.calls[numbers.ReplaceAllString(call, "N")]
	if n == nil {
		n = &[2]int{}
		w.calls[numbers.ReplaceAllString(call, "N")] = n
	}
	n[0]++
	if a.Status == 200 {
		w.done++
		n[1]++
	}
	return a
}

// counts returns how often each request was sent, and how often it succeeded.
func (w *simulation) counts() string {
	var out strings.Builder
	for _, call := range slices.Sorted(maps.Keys(w.calls)) {
		fmt.Fprintf(&out, "%s: %d of %d\n", call, w.calls[call][1], w.calls[call][0])
	}
	return out.String()
}

// value returns the value of a group setting: a group, or users and groups.
func (w *simulation) value() string {
	if w.rnd.IntN(2) == 0 {
		return fmt.Sprint(one(w, append([]int64{1, 2, 3, 4, 5, 6, 7}, w.groups...)))
	}
	groups := "[]"
	if w.rnd.IntN(2) == 0 {
		groups = w.some(append([]int64{2, 4, 5, 6}, w.groups...))
	}
	return fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":%s}`, w.some(w.users), groups)
}

func (w *simulation) update() string { return `{"new":` + w.value() + `}` }

// steps lists the possible steps. Frequent ones occur more than once.
var steps = []func(*simulation){
	people, people, roles, groups, groups, members, members, subgroups, makeChannel, changeChannel, changeChannel,
	changeChannel, changeChannel, allow, allow,
	subscribe, subscribe, subscribe, unsubscribe, unsubscribe, personally, defaultChannels, defaultChannels, folders,
	folders, realmSettings, realmSettings, realmSettings, restrictions, restrictions, restrictions,
	declaredSettings, declaredSettings,
	lists, lists, lists, own, own, seen, views, drafts, snippets, later, bots, bots, bots,
	send, send, send, send, send, send, edit, edit, edit, move, move, move, remove, react, react, vote, flags, flags,
	marks, policies, mutes, wait,
	profileFields, profiles, profiles, statuses, robot, robot, activation, unarchive, reactivate,
}
