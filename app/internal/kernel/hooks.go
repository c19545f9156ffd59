package kernel

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// hooks holds the hooks of each event type, in the order in which they run.
type hooks struct{ of map[reflect.Type][]attached }

type attached struct {
	module string
	kit.Hook
}

func (h *hooks) collect(all []kit.Contribution) error {
	h.of = map[reflect.Type][]attached{}
	for _, c := range all {
		for _, hook := range c.Parts.Hooks {
			if hook.Event == nil || hook.Run == nil {
				return fmt.Errorf("module %s: a hook without an event type; create it with kit.On", c.Module)
			}
			h.of[hook.Event] = append(h.of[hook.Event], attached{c.Module, hook})
		}
	}
	for _, l := range h.of {
		slices.SortStableFunc(l, func(a, b attached) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.module, b.module))
		})
	}
	return nil
}

// Run implements ports.Hooks.
func (k *Kernel) Run(ctx context.Context, hookEvent any) error {
	t := reflect.TypeOf(hookEvent)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("kernel: a hook event must be a pointer to its struct, not %T", hookEvent)
	}
	for _, h := range k.hooks.of[t.Elem()] {
		if err := k.runHook(ctx, h, hookEvent); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) runHook(ctx context.Context, h attached, hookEvent any) (err error) {
	within, span := k.o.Traces.Within(ctx, ports.SpanHook, h.Handler)
	defer func() { span.End(err) }()
	defer k.o.Panics.Recover(h.module, h.Handler, &err)
	return h.Run(within, hookEvent)
}

// safely calls fn and converts a panic to an error. It is for module code that runs outside requests.
func safely(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}
