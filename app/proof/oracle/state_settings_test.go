package oracle_test

import (
	"fmt"
	"maps"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/kit"
)

// moduleSettings is the capability, the key of /register and the event type of settings that modules declare.
const moduleSettings = "stoa_settings"

// bakery is a module that declares settings of every scope and kind.
var bakery = kit.Define("bakery", "Bakes cakes.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
	rule := group.Rule{Default: group.Members, Nobody: true, Everyone: true}
	return kit.Parts{Settings: []declared.Any{
		declared.ForRealm("cakes", declared.Int(3, 1, 9), "Cakes", "Cakes a day."),
		declared.ForRealm("can_bake_group", declared.Group(rule), "Who bakes", "Others only eat."),
		declared.ForUser("icing", declared.OneOf("white", "white", "pink"), "Icing", "Color of the icing."),
		declared.ForUser("cake_motto", declared.Text("", 20), "Motto", "What is written on the cake."),
		declared.ForChannel("feast", declared.Bool(false), "Feast", "Whether there is cake."),
		declared.ForChannel("can_eat_group", declared.Group(rule), "Who eats", "Who may eat cake in the channel."),
	}}, nil
})

// declaredSettings changes a setting that a module declares.
func declaredSettings(w *simulation) {
	set := func(who, call, key, value string) { w.do(who, call, "settings", fmt.Sprintf("{%q:%s}", key, value)) }
	in := fmt.Sprintf("PATCH /stoa/settings/channels/%d", one(w, w.channels))
	switch w.rnd.IntN(6) {
	case 0:
		set(w.manager(), "PATCH /stoa/settings/realm", "cakes", fmt.Sprint(1+w.rnd.IntN(9)))
	case 1:
		set(w.manager(), "PATCH /stoa/settings/realm", "can_bake_group", w.update())
	case 2:
		set(one(w, w.names), "PATCH /stoa/settings/user", "icing", one(w, []string{`"white"`, `"pink"`}))
	case 3:
		set(one(w, w.names), "PATCH /stoa/settings/user", "cake_motto", one(w, []string{`""`, `"Eat me"`, `"Drink me"`}))
	case 4:
		set(w.manager(), in, "feast", w.flag())
	default:
		set(w.manager(), in, "can_eat_group", w.update())
	}
}

// askSettings adds the settings that modules declare, which clients ask for by name.
func (m *model) askSettings(as *kittest.Client) {
	if !m.client.can[moduleSettings] {
		return
	}
	var all object
	as.Do("POST /register", "event_types", "null", "fetch_event_types", `["`+moduleSettings+`"]`).OK().JSON(&all)
	m.plain[moduleSettings] = all[moduleSettings]
}

// setting applies an event about a setting.
func (m *model) setting(e object) error {
	lists, asked := m.plain[moduleSettings].(object)
	if !asked {
		return fmt.Errorf("the client did not ask for settings")
	}
	for _, one := range lists[e["scope"].(string)].([]any) {
		switch d := one.(object); {
		case d["key"] != e["key"]:
		case e["scope"] == "channel":
			if d["values"] == nil {
				d["values"] = object{}
			}
			d["values"].(object)[fmt.Sprint(e["channel_id"])] = e["value"]
			return nil
		case e["scope"] == "user" && number(e["user_id"]) != m.me:
			return fmt.Errorf("a setting of another user")
		default:
			d["value"] = e["value"]
			return nil
		}
	}
	return fmt.Errorf("an unknown setting")
}

// flattenSettings leaves out values of channels that the client does not have.
func (m *model) flattenSettings(out object) {
	lists, asked := out[moduleSettings].(object)
	if !asked {
		return
	}
	lists = maps.Clone(lists)
	of := []any{}
	for _, one := range lists["channel"].([]any) {
		d, values := maps.Clone(one.(object)), object{}
		if all, some := d["values"].(object); some {
			for id, value := range all {
				if m.channel[id] != nil {
					values[id] = value
				}
			}
		}
		d["values"] = values
		of = append(of, d)
	}
	lists["channel"] = of
	out[moduleSettings] = lists
}
