package kit

import (
	"context"

	"go.uber.org/fx"
)

// AdapterChecks receives the health checks of all adapters from fx. The name of each is its slot.
type AdapterChecks struct {
	fx.In
	All []Check `group:"stoa.adapterchecks"`
}

// checkGroup is the fx value group of AdapterChecks, for slices.
const checkGroup = `group:"stoa.adapterchecks,flatten"`

// adapterOut holds what an adapter contributes besides its port.
type adapterOut struct {
	fx.Out
	Reloads []Reload `group:"stoa.reloads,flatten"`
	Checks  []Check  `group:"stoa.adapterchecks,flatten"`
}

// checks returns the health check of an adapter that has one.
func checks(slot string, port any) []Check {
	switch p := port.(type) {
	case interface{ Health(context.Context) error }:
		return []Check{{Name: slot, Run: p.Health, Minor: true}}
	case interface{ Check(context.Context) error }:
		return []Check{{Name: slot, Run: p.Check, Minor: true}}
	}
	return nil
}
