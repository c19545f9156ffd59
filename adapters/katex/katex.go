// Package katex draws formulas with KaTeX, which runs in a JavaScript engine inside of the server.
//
// katex.min.js is a copy of the npm package (see generate). Its major version is the newest whose markup the mobile app
// draws: later ones gave new names to classes.
//
// Whoever writes a message decides what runs here. A formula has no access to anything but its own text; it is bounded in
// length, time, depth and size. One formula is drawn at a time, and what was drawn is kept, so that a formula costs
// nothing when it is sent, previewed or edited again.
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
var Module = kit.Adapter("math", "katex", "Draws the formulas in messages.", Defaults(), func(c Config, _ needs) (ports.Math, error) {
	return New(c), nil
})

type needs struct{ fx.In }

// Config bounds what formulas may cost.
type Config struct {
	Timeout  time.Duration `yaml:"timeout"`   // of one formula; what takes longer is shown as source
	CacheMiB int           `yaml:"cache_mib"` // for formulas that were drawn
}

// Defaults is the config without a config.
func Defaults() Config { return Config{Timeout: 200 * time.Millisecond, CacheMiB: 16} }

// Validate checks what the decoder can't.
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

// program is KaTeX, compiled when the first formula is drawn.
var program = sync.OnceValues(func() (*goja.Program, error) { return goja.Compile("katex.min.js", source, false) })

// draw gives the HTML of a formula. Its options refuse what reaches beyond the formula: links, pictures and styles.
const draw = `(function (tex, display) {
	return katex.renderToString(tex, {
		displayMode: display, throwOnError: true, output: "htmlAndMathml", strict: "ignore", trust: false, maxSize: 50, maxExpand: 1000
	});
})`

const (
	maxTeX   = 5_000   // bytes of a formula
	maxHTML  = 200_000 // bytes of its drawing
	maxDepth = 1_000   // calls within calls, which deeply nested groups need
)

var (
	errTooLong  = errors.New("katex: the formula is too long")
	errTooLarge = errors.New("katex: the drawing is too large")
	errTooSlow  = errors.New("katex: the formula takes too long")
)

// engine implements ports.Math.
type engine struct {
	config Config
	turn   chan *machine // holds the machine while nobody draws
	drawn  cache
}

// machine is a JavaScript engine in which KaTeX was loaded.
type machine struct {
	vm   *goja.Runtime
	draw goja.Callable
}

// New gives the engine. It loads KaTeX with the first formula.
func New(c Config) ports.Math {
	e := &engine{config: c, turn: make(chan *machine, 1), drawn: cache{limit: c.CacheMiB << 20}}
	e.turn <- nil
	return e
}

// Formula implements ports.Math.
func (e *engine) Formula(ctx context.Context, tex string, display bool) (string, error) {
	if len(tex) > maxTeX {
		return "", errTooLong
	}
	k := key{tex, display}
	if d, ok := e.drawn.get(k); ok {
		return d.html, d.err
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case m := <-e.turn:
		defer func() { e.turn <- m }()
		if d, ok := e.drawn.get(k); ok { // drawn while this one waited
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
		}
		d, again := m.formula(ctx, k, e.config.Timeout)
		if !again {
			e.drawn.put(k, d)
		}
		if d.broken {
			m = nil
		}
		return d.html, d.err
	}
}

// load makes a machine.
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
	fn, err := vm.RunString(draw)
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(fn)
	if !ok {
		return nil, errors.New("katex: there is no function that draws")
	}
	return &machine{vm, call}, nil
}

// formula draws a formula. again reports that the context ended it, so that the result says nothing about the formula.
func (m *machine) formula(ctx context.Context, k key, limit time.Duration) (d drawing, again bool) {
	within, cancel := context.WithTimeoutCause(ctx, limit, errTooSlow)
	defer cancel()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(within, func() {
		m.vm.Interrupt(context.Cause(within))
		close(interrupted)
	})
	defer func() {
		if !stop() { // the interruption must not meet the next formula
			<-interrupted
			m.vm.ClearInterrupt()
		}
		if r := recover(); r != nil { // a mistake of the JavaScript engine
			d, again = drawing{err: fmt.Errorf("katex: %v", r), broken: true}, false
		}
	}()
	v, err := m.draw(goja.Undefined(), m.vm.ToValue(k.tex), m.vm.ToValue(k.display))
	if err != nil {
		return refused(within, err)
	}
	html := v.String()
	if len(html) > maxHTML {
		return drawing{err: errTooLarge}, false
	}
	return drawing{html: html}, false
}

// refused tells what KaTeX finds wrong from what it was not given the time or the room for.
func refused(ctx context.Context, err error) (d drawing, again bool) {
	var interrupted *goja.InterruptedError
	var thrown *goja.Exception
	switch {
	case errors.As(err, &interrupted):
		cause := context.Cause(ctx)
		return drawing{err: cause}, cause != errTooSlow
	case errors.As(err, &thrown) && strings.HasPrefix(thrown.Value().String(), "ParseError"):
		return drawing{err: markdown.ErrTeX}, false
	}
	return drawing{err: fmt.Errorf("katex: %w", err)}, false
}
