package oracle_test

import (
	"fmt"
	"maps"
	"reflect"

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
		declared.ForUser("cake_motto", declared.Text("", 20), "Motto", "What is written on the cake.").Public(),
		declared.ForUser("diet", declared.Bool(false), "Diet", "Whether the user eats no cake."),
		declared.ForChannel("feast", declared.Bool(false), "Feast", "Whether there is cake.").Public(),
		declared.ForChannel("oven", declared.OneOf("old", "old", "new"), "Oven", "Where the cake is baked."),
		declared.ForChannel("can_eat_group", declared.Group(rule), "Who eats", "Who may eat cake in the channel."),
	}}, nil
})

// declaredSettings changes a setting that a module declares.
func declaredSettings(w *simulation) {
	set := func(who, call, key, value string) { w.do(who, call, "settings", fmt.Sprintf("{%q:%s}", key, value)) }
	in := fmt.Sprintf("PATCH /stoa/settings/channels/%d", one(w, w.channels))
	switch w.rnd.IntN(8) {
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
	case 5:
		set(one(w, w.names), "PATCH /stoa/settings/user", "diet", w.flag())
	case 6:
		set(w.manager(), in, "oven", one(w, []string{`"old"`, `"new"`}))
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
			valuesOf(d)[fmt.Sprint(e["channel_id"])] = e["value"]
			return nil
		case e["scope"] == "user" && d["public"] != true && number(e["user_id"]) != m.me:
			return fmt.Errorf("a setting of another user")
		default:
			if e["scope"] == "user" && d["public"] == true {
				valuesOf(d)[fmt.Sprint(e["user_id"])] = e["value"]
			}
			if e["scope"] == "user" && number(e["user_id"]) != m.me {
				return nil
			}
			d["value"] = e["value"]
			return nil
		}
	}
	return fmt.Errorf("an unknown setting")
}

// valuesOf returns the values of a setting by channel or user.
func valuesOf(setting object) object {
	if setting["values"] == nil {
		setting["values"] = object{}
	}
	return setting["values"].(object)
}

// flattenSettings leaves out values of channels and users that the client does not have, and those that are the
// default, which are missing as well.
func (m *model) flattenSettings(out object) {
	lists, asked := out[moduleSettings].(object)
	if !asked {
		return
	}
	lists = maps.Clone(lists)
	for scope, has := range map[string]func(id string) bool{
		"channel": func(id string) bool { return m.channel[id] != nil },
		"user": func(id string) bool {
			return m.keyed["realm_users"][id] != nil || m.keyed["realm_non_active_users"][id] != nil
		},
	} {
		of := []any{}
		for _, one := range lists[scope].([]any) {
			d, values := maps.Clone(one.(object)), object{}
			for id, value := range valuesOf(maps.Clone(d)) {
				if has(id) && !reflect.DeepEqual(value, d["default"]) {
					values[id] = value
				}
			}
			d["values"] = values
			of = append(of, d)
		}
		lists[scope] = of
	}
	out[moduleSettings] = lists
}
