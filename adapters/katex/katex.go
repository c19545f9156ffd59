// Package katex renders formulas with KaTeX in an embedded JavaScript engine.
//
// katex.min.js is a copy of the npm package (see generate). Its major version is the newest whose markup the mobile app
// supports, since later ones renamed classes.
//
// Formulas are untrusted input. They cannot access anything but their own text, and are limited in length, time, depth
// and size. Only one formula is rendered at a time. Results are cached, so that sending, previewing and editing a
// message render each formula once.
package katex

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("math", "katex", "Renders the formulas in messages.", Defaults(),
	func(c Config, _ needs) (ports.Math, error) {
		return New(c), nil
	})

type needs struct{ fx.In }

// Config limits the cost of formulas.
type Config struct {
	Timeout  time.Duration `yaml:"timeout"`   // per formula; slower formulas are shown as source
	CacheMiB int           `yaml:"cache_mib"` // for rendered formulas
}

// Defaults returns the default configuration.
func Defaults() Config { return Config{Timeout: 200 * time.Millisecond, CacheMiB: 16} }

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.Timeout <= 0:
		return fmt.Errorf("timeout: want a time above 0, got %v", c.Timeout)
	case c.CacheMiB < 1 || c.CacheMiB > 4096:
		return fmt.Errorf("cache_mib: want a number from 1 to 4096, got %d", c.CacheMiB)
	}
	return nil
}

//go:embed katex.min.js
var source string

// program is KaTeX, compiled on first use.
var program = sync.OnceValues(func() (*goja.Program, error) { return goja.Compile("katex.min.js", source, false) })

// renderScript renders a formula as HTML. Its options disable links, images and styles, which could reach beyond the
// formula.
const renderScript = `(function (tex, display) {
	return katex.renderToString(tex, {
		displayMode: display, throwOnError: true, output: "htmlAndMathml", strict: "ignore", trust: false,
		maxSize: 50, maxExpand: 1000
	});
})`

const (
	maxTeX   = 5_000   // bytes of a formula
	maxHTML  = 200_000 // bytes of its HTML
	maxDepth = 1_000   // depth of the call stack, which nested groups need
)

var (
	errTooLong  = errors.New("katex: the formula is too long")
	errTooLarge = errors.New("katex: the rendering is too large")
	errTooSlow  = errors.New("katex: the formula takes too long")
)

// engine implements ports.Math.
type engine struct {
	config Config
	idle   chan *machine // holds the only machine while it is unused; nil: not loaded yet
	cache  cache
}

// machine is a JavaScript engine with KaTeX loaded.
type machine struct {
	vm     *goja.Runtime
	render goja.Callable
}

// New returns the engine. KaTeX is loaded with the first formula.
func New(c Config) ports.Math {
	e := &engine{config: c, idle: make(chan *machine, 1), cache: cache{limit: c.CacheMiB << 20}}
	e.idle <- nil
	return e
}

// Formula implements ports.Math.
func (e *engine) Formula(ctx context.Context, tex string, display bool) (string, error) {
	if len(tex) > maxTeX {
		return "", errTooLong
	}
	k := key{tex, display}
	if d, ok := e.cache.get(k); ok {
		return d.html, d.err
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case m := <-e.idle:
		defer func() { e.idle <- m }()
		if d, ok := e.cache.get(k); ok { // rendered while waiting
			return d.html, d.err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if m == nil {
			var err error
			if m, err = load(); err != nil {
				return "", err
			}
			ctx = context.WithoutCancel(ctx) // loading, which happens once, does not count
		}
		d, canceled := m.formula(ctx, k, e.config.Timeout)
		if !canceled {
			e.cache.put(k, d)
		}
		if d.unusable {
			m = nil
		}
		return d.html, d.err
	}
}

// load creates a machine.
func load() (*machine, error) {
	p, err := program()
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(maxDepth)
	if _, err := vm.RunProgram(p); err != nil {
		return nil, err
	}
	fn, err := vm.RunString(renderScript)
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(fn)
	if !ok {
		return nil, errors.New("katex: the script does not define a function")
	}
	return &machine{vm, call}, nil
}

// formula renders a formula. If canceled is true, ctx has ended, and the result does not concern the formula.
func (m *machine) formula(ctx context.Context, k key, limit time.Duration) (d rendering, canceled bool) {
	renderCtx, cancel := context.WithTimeoutCause(ctx, limit, errTooSlow)
	defer cancel()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(renderCtx, func() {
		m.vm.Interrupt(context.Cause(renderCtx))
		close(interrupted)
	})
	defer func() {
		if !stop() { // the interruption must not stop the next formula
			<-interrupted
			m.vm.ClearInterrupt()
		}
		if r := recover(); r != nil { // a bug in the JavaScript engine
			d, canceled = rendering{err: fmt.Errorf("katex: %v", r), unusable: true}, false
		}
	}()
	v, err := m.render(goja.Undefined(), m.vm.ToValue(k.tex), m.vm.ToValue(k.display))
	if err != nil {
		return failure(renderCtx, err)
	}
	html := v.String()
	if len(html) > maxHTML {
		return rendering{err: errTooLarge}, false
	}
	return rendering{html: html}, false
}

// failure distinguishes formulas that KaTeX rejects from those that exceed the limits.
func failure(ctx context.Context, err error) (d rendering, canceled bool) {
	var interrupted *goja.InterruptedError
	var exception *goja.Exception
	switch {
	case errors.As(err, &interrupted):
		cause := context.Cause(ctx)
		return rendering{err: cause}, !errors.Is(cause, errTooSlow)
	case errors.As(err, &exception) && strings.HasPrefix(exception.Value().String(), "ParseError"):
		return rendering{err: markdown.ErrTeX}, false
	}
	return rendering{err: fmt.Errorf("katex: %w", err)}, false
}
