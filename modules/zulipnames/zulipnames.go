// Package zulipnames speaks to existing clients in the names that they know: whatever the server says of itself under a key
// with service_ in it, it says under the same key with zulip_ too (source: events-and-register.md §0.1).
package zulipnames

import (
	"context"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Module adds the names. Without it only service_... is spoken, and existing clients refuse to connect.
var Module = kit.Define("zulipnames", "Adds the names that existing clients know (zulip_version, ...) to what the server says of itself.", Config{}, wire)

// Config is the module's part of the config. There is nothing to set.
type Config struct{}

type needs struct{ fx.In }

func wire(Config, needs) (kit.Parts, error) {
	// After all others, so that keys which they add are seen.
	return kit.Parts{Hooks: []kit.Hook{kit.On(alias).Order(1000)}}, nil
}

func alias(_ context.Context, m *realm.Describing) error {
	for key, value := range m.Keys {
		if other := known(key); other != "" {
			if _, there := m.Keys[other]; !there {
				m.Keys[other] = value
			}
		}
	}
	return nil
}

// known gives the name by which existing clients know a key; "" if it has no other.
func known(key string) string {
	if rest, ok := strings.CutPrefix(key, "service_"); ok {
		return "zulip_" + rest
	}
	if rest, ok := strings.CutPrefix(key, "realm_service_"); ok {
		return "realm_zulip_" + rest
	}
	return ""
}
