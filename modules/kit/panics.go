package kit

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/stoachat/stoa/ports"
)

// PanicError is the error of a module whose handler, hook, answer or job panicked.
type PanicError struct {
	Module string
	Of     string // the function or the job, such as "birthdays.(*service).forget"
	Value  any
	Stack  string
}

func (p *PanicError) Error() string {
	return fmt.Sprintf("module %s: panic in %s: %v", p.Module, p.Of, p.Value)
}

// Panics converts panics of modules to errors, and remembers which modules panic repeatedly. nil only converts.
type Panics struct {
	Clock ports.Clock

	mu       sync.Mutex
	last     map[string]time.Time // by module
	repeated map[string]time.Time // when a module last panicked twice within a minute
}

const (
	panicsWithin   = time.Minute
	panicsReported = 10 * time.Minute // how long a module counts as failing
)

// Recover sets err if the function that defers the call panics. of names what panicked.
func (p *Panics) Recover(module, of string, err *error) {
	if v := recover(); v != nil {
		*err = p.Caught(module, of, v)
	}
}

// Caught returns the error for a value that the caller, a deferred function, has recovered.
func (p *Panics) Caught(module, of string, value any) error {
	p.count(module)
	return &PanicError{Module: module, Of: of, Value: value, Stack: string(debug.Stack())}
}

func (p *Panics) count(module string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last, p.repeated = map[string]time.Time{}, map[string]time.Time{}
	}
	now := p.Clock.Now()
	if before, again := p.last[module]; again && now.Sub(before) <= panicsWithin {
		p.repeated[module] = now
	}
	p.last[module] = now
}

// Repeated returns the modules that have lately panicked twice within a minute, sorted.
func (p *Panics) Repeated() []string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for module, at := range p.repeated {
		if p.Clock.Now().Sub(at) < panicsReported {
			all = append(all, module)
		}
	}
	slices.Sort(all)
	return all
}
