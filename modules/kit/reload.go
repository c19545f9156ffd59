package kit

import (
	"fmt"
	"reflect"

	"go.uber.org/fx"
)

// Reloader is implemented by adapters that can take over a new configuration while they run. Fields of C with the tag
// `reload:"true"` document which keys they take over. A reload also reads files again that the configuration names,
// such as certificates. After an error, the adapter continues as before.
type Reloader[C any] interface{ Reload(c C) error }

// Reload reloads one adapter.
type Reload struct {
	Slot string
	Run  func(cfg any) error
}

// Reloads receives all reloads from fx.
type Reloads struct {
	fx.In
	All []Reload `group:"stoa.reloads"`
}

// reloads returns the contribution of an adapter that is a Reloader. It returns an error if a key of C declares that it
// reloads, but the adapter is none.
func reloads[C any](slot string, port any) ([]Reload, error) {
	r, ok := port.(Reloader[C])
	if !ok {
		for f := range reflect.TypeFor[C]().Fields() {
			if f.Tag.Get("reload") != "" {
				return nil, fmt.Errorf("adapters.%s: the field %s reloads, but %T has no method Reload",
					slot, f.Name, port)
			}
		}
		return nil, nil
	}
	return []Reload{{slot, func(cfg any) error {
		c, ok := cfg.(C)
		if !ok {
			return fmt.Errorf("adapters.%s: another adapter is configured", slot)
		}
		return r.Reload(c)
	}}}, nil
}
