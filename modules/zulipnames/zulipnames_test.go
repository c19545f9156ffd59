package zulipnames_test

import (
	"maps"
	"reflect"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/zulipnames"
)

func TestModule(t *testing.T) { kittest.Check(t, zulipnames.Module) }

func TestAliases(t *testing.T) {
	asking := ask(t)
	for _, c := range []struct{ before, after map[string]any }{
		{map[string]any{}, map[string]any{}},
		{
			map[string]any{"service_feature_level": 496, "service_version": "12.0", "service_merge_base": "", "realm_name": "x",
				"server_jitsi_server_url": nil},
			map[string]any{
				"service_feature_level": 496, "service_version": "12.0", "service_merge_base": "", "realm_name": "x",
				"server_jitsi_server_url": nil,
				"zulip_feature_level":     496, "zulip_version": "12.0", "zulip_merge_base": "",
			},
		},
		{
			map[string]any{"realm_service_update_announcements_stream_id": int64(-1), "service_plan_is_not_limited": true},
			map[string]any{
				"realm_service_update_announcements_stream_id": int64(-1), "service_plan_is_not_limited": true,
				"realm_zulip_update_announcements_stream_id": int64(-1), "zulip_plan_is_not_limited": true,
			},
		},
		{
			map[string]any{"service_version": "12.0", "zulip_version": "set explicitly", "my_service_x": 1},
			map[string]any{"service_version": "12.0", "zulip_version": "set explicitly", "my_service_x": 1},
		},
	} {
		got := maps.Clone(c.before)
		aliases, ok, err := asking.Aliases.Ask(t.Context(), realm.KeyAliases{Keys: c.before})
		maps.Copy(got, aliases)
		if err != nil || !ok || !reflect.DeepEqual(got, c.after) || len(c.before)+len(aliases) != len(got) {
			t.Errorf("%v\ngot  %v\nwant %v", err, got, c.after)
		}
	}
}

// questions are those that other modules ask.
type questions struct {
	fx.In
	ZulipNames kit.Query[realm.KnowsOnlyZulipNames, bool]
	Aliases    kit.Query[realm.KeyAliases, map[string]any]
}

// ask starts a server with the module, and returns the questions to ask it.
func ask(t *testing.T) questions {
	t.Helper()
	var asking questions
	kittest.Start(t, zulipnames.Module, kit.Define("asks", "Asks.", kit.None{},
		func(_ kit.None, q questions) (kit.Parts, error) {
			asking = q
			return kit.Parts{}, nil
		}))
	return asking
}

func TestKnowsOnlyZulipNames(t *testing.T) {
	asking := ask(t)
	for agent, want := range map[string]bool{
		"ZulipFlutter/30.0 (Android)": true, "ZulipTerminal/0.7.0": true, "zulip-js/2.1": true, "go-zulip/0.3": true,
		"ZulipPython/0.9":          true,
		"Mozilla/5.0 gozulipbot/1": true, "": false, "curl/8": false, "stoa": false, "my-zulip-1": false,
	} {
		zulip, _, err := asking.ZulipNames.Ask(t.Context(), realm.KnowsOnlyZulipNames{Agent: agent})
		if err != nil || zulip != want {
			t.Errorf("%q: %v, %v", agent, zulip, err)
		}
	}
}
