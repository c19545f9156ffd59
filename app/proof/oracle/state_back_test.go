package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

// mostly sends a request, mainly as olga, who has permission; but sometimes as another user, or not at all.
func (w *simulation) mostly(call string, params ...string) {
	if n := w.rnd.IntN(8); n > 1 {
		w.do("olga", call, params...)
	} else if n == 1 {
		w.do(w.manager(), call, params...)
	}
}

// rarely sends a request as olga with a probability of one third.
func (w *simulation) rarely(call string, params ...string) {
	if w.rnd.IntN(3) == 0 {
		w.do("olga", call, params...)
	}
}

// naming returns a value that sets a group setting to a group.
func (w *simulation) naming(g int64) string {
	if w.rnd.IntN(2) == 0 {
		return fmt.Sprintf(`{"new":%d}`, g)
	}
	return fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[%d]}}`, w.some(w.users), g)
}

// setting returns a change to one of the settings, or nothing.
func (w *simulation) setting(names []string) []string {
	if w.rnd.IntN(3) > 0 {
		return nil
	}
	return []string{one(w, names), w.update()}
}

// unarchive sets a channel's setting to a group, archives the channel, deactivates the group, and reverts both.
func unarchive(w *simulation) {
	if len(w.groups) == 0 {
		return
	}
	id := one(w, w.groups)
	c, g := fmt.Sprint("/streams/", one(w, w.channels)), fmt.Sprint("/user_groups/", id)
	w.mostly("PATCH "+c, one(w, channelSettings), w.naming(id))
	w.mostly("DELETE " + c)
	w.mostly("POST " + g + "/deactivate")
	w.mostly("PATCH "+c, append([]string{"is_archived", "false"}, w.setting(channelSettings)...)...)
	w.rarely("PATCH "+g, "deactivated", "false")
	w.rarely("PATCH "+c, "is_archived", "false")
}

// reactivate lets a group refer to or contain another one, deactivates both, and reactivates them.
func reactivate(w *simulation) {
	if len(w.groups) == 0 {
		return
	}
	id, other := one(w, w.groups), one(w, w.groups)
	g, h := fmt.Sprint("/user_groups/", id), fmt.Sprint("/user_groups/", other)
	if w.rnd.IntN(3) == 0 {
		w.mostly("POST "+h+"/subgroups", "add", fmt.Sprintf("[%d]", id))
	} else {
		w.mostly("PATCH "+h, one(w, groupSettings), w.naming(id))
	}
	w.mostly("POST " + h + "/deactivate")
	w.mostly("POST " + g + "/deactivate")
	w.mostly("PATCH "+h, append([]string{"deactivated", "false"}, w.setting(groupSettings)...)...)
	w.rarely("PATCH "+g, "deactivated", "false")
	w.rarely("PATCH "+h, "deactivated", "false")
}

// ended returns active objects that refer to a deactivated group: settings of the realm, of channels that are not
// archived and of active groups, and subgroups. Clients without support for deactivated groups must not receive any.
func (m *model) ended() []string {
	active := map[int64]bool{}
	for _, g := range m.keyed["realm_user_groups"] {
		active[number(g["id"])] = g["deactivated"] != true
	}
	var out []string
	check := func(what string, value any) {
		var names []any
		switch x := value.(type) {
		case float64:
			names = []any{x}
		case object:
			names, _ = x["direct_subgroups"].([]any)
		case []any:
			names = x
		}
		for _, id := range names {
			if !active[number(id)] {
				out = append(out, fmt.Sprintf("%s is %s, of which %v is not active", what, kittest.JSON(value), id))
			}
		}
	}
	for _, r := range group.Rules(group.OfRealm) {
		check(r.Name, m.plain["realm_"+r.Name])
	}
	for _, key := range slices.Sorted(maps.Keys(m.channel)) {
		if c := m.channel[key]; c["is_archived"] != true {
			for _, r := range group.Rules(group.OfStream) {
				check(strings.Join([]string{"channel", key, r.Name}, " "), c[r.Name])
			}
		}
	}
	for key, g := range m.keyed["realm_user_groups"] {
		if g["deactivated"] == true {
			continue
		}
		for _, r := range group.Rules(group.OfGroup) {
			check(strings.Join([]string{"group", key, r.Name}, " "), g[r.Name])
		}
		check("what group "+key+" holds", g["direct_subgroup_ids"])
	}
	return out
}
