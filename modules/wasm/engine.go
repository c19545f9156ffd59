package wasm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/wasmcode"
)

// The names by which guests and server know each other's functions.
const (
	hostModule = "stoa_1" // of the server's functions: read, write and call
	wasiModule = "wasi_snapshot_preview1"
	entry      = "stoa_1"      // the guest's function that handles a call, whose size it is given
	initialize = "_initialize" // the guest's function that is called first, if it has one
)

const (
	perPage  = 64 << 10 // bytes
	maxText  = 1 << 20  // bytes of a request, a reply, an act or its result
	maxError = 500      // bytes of what a guest writes to standard error
	maxActs  = 100      // per call
)

// compiled caches machine code for all servers of a process.
var compiled = wazero.NewCompilationCache()

// engine runs guests. Each call gets a machine of its own, with an empty memory, no files, no environment, and a clock
// that shows the second in which the call began; sleeping only advances a second clock. The machine ends with the call.
type engine struct {
	pages     uint32 // memory of a machine
	interpret bool   // instead of compiling

	compiling sync.Mutex // also protects runtime
	runtime   wazero.Runtime

	mu    sync.Mutex
	ready map[string]prepared // by the hash of the package
}

// prepared is a package that can be used.
type prepared struct {
	module wazero.CompiledModule
	files  map[string][]byte // that extend the client
}

func newEngine(memoryMiB int, interpret bool) *engine {
	return &engine{pages: uint32(memoryMiB << 20 / perPage), interpret: interpret, ready: map[string]prepared{}}
}

// start creates the runtime when the first module is compiled.
func (e *engine) start(ctx context.Context) error {
	if e.runtime != nil {
		return nil
	}
	config := wazero.NewRuntimeConfig()
	if e.interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	r := wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(e.pages).WithCompilationCache(compiled).
		WithDebugInfoEnabled(false))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return err
	}
	_, err := r.NewHostModuleBuilder(hostModule).
		NewFunctionBuilder().WithFunc(hostRead).Export("read").
		NewFunctionBuilder().WithFunc(hostWrite).Export("write").
		NewFunctionBuilder().WithFunc(hostCall).Export("call").
		Instantiate(ctx)
	e.runtime = r
	return err
}

// Prepare compiles a guest, unless that has been done. Errors: BadRequest for code that can't be used.
func (e *engine) Prepare(ctx context.Context, hash string, read func() (*pack, error)) error {
	e.compiling.Lock()
	defer e.compiling.Unlock()
	if e.Ready(hash) {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the runtime outlives the request
	if err := e.start(ctx); err != nil {
		return err
	}
	p, err := read()
	if err != nil {
		return err
	}
	text, err := wasmcode.Interruptible(p.files[codeName])
	if err != nil {
		return errs.Bad("%s: %v", codeName, err)
	}
	m, err := e.runtime.CompileModule(ctx, text)
	if err != nil {
		return errs.Bad("%s: %v", codeName, firstLine(err.Error()))
	}
	if err := checkCode(m); err != nil {
		return errors.Join(errs.Bad("%s: %v", codeName, err), m.Close(ctx))
	}
	maps.DeleteFunc(p.files, func(name string, _ []byte) bool { return !strings.HasPrefix(name, webFolder) })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ready[hash] = prepared{m, p.files}
	return nil
}

// checkCode checks what a guest imports and exports.
func checkCode(m wazero.CompiledModule) error {
	for _, f := range m.ImportedFunctions() {
		if module, name, _ := f.Import(); module != hostModule && module != wasiModule {
			return fmt.Errorf("it imports %s.%s; there are only %s and %s", module, name, hostModule, wasiModule)
		}
	}
	f := m.ExportedFunctions()[entry]
	if f == nil || !slices.Equal(f.ParamTypes(), []api.ValueType{api.ValueTypeI32}) || len(f.ResultTypes()) > 0 {
		return fmt.Errorf("it exports no function %s(i32)", entry)
	}
	if len(m.ExportedMemories()) != 1 {
		return errors.New("it exports no memory")
	}
	return nil
}

func (e *engine) prepared(hash string) prepared {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ready[hash]
}

// Ready reports whether a guest has been compiled.
func (e *engine) Ready(hash string) bool { return e.prepared(hash).module != nil }

// File returns a file that extends the client, or nil.
func (e *engine) File(hash, name string) []byte { return e.prepared(hash).files[name] }

// Keep forgets the code of all guests but these.
func (e *engine) Keep(ctx context.Context, hashes []string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []error
	for hash, p := range maps.Clone(e.ready) {
		if !slices.Contains(hashes, hash) {
			delete(e.ready, hash)
			all = append(all, p.module.Close(ctx)) // machines that run its code keep it
		}
	}
	return errors.Join(all...)
}

// Run passes a request to a guest and returns its reply. act does what the guest asks for. An error is the guest's
// failure: it has trapped, panicked, exited, used up its time or its memory, or broken the protocol.
func (e *engine) Run(
	ctx context.Context, hash string, request []byte, now time.Time, act func(context.Context, []byte) ([]byte, error),
) ([]byte, error) {
	code := e.prepared(hash).module
	if code == nil {
		return nil, errors.New("it is not compiled")
	}
	said, slept := &complaint{}, new(int64)
	m, err := e.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStderr(said).WithRandSource(rand.Reader).
		WithWalltime(func() (int64, int32) { return now.Unix(), 0 }, sys.ClockResolution(time.Millisecond)).
		WithNanotime(func() int64 { *slept++; return *slept }, sys.ClockResolution(time.Millisecond)).
		WithNanosleep(func(ns int64) { *slept += max(0, ns) }))
	if err != nil {
		return nil, errors.New(firstLine(err.Error()))
	}
	defer func() { _ = m.Close(context.WithoutCancel(ctx)) }() // memory is its only resource
	stop, ok := m.ExportedGlobal(wasmcode.StopVariable).(api.MutableGlobal)
	if !ok {
		return nil, wasmcode.ErrModule
	}
	defer context.AfterFunc(ctx, func() { stop.Set(1) })()
	x := &exchange{in: request, act: act}
	err = x.run(context.WithValue(ctx, exchangeKey{}, x), m)
	switch {
	case err == nil && x.out == nil:
		return nil, errors.New("it returned without a reply")
	case err == nil:
		return x.out, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it took too long: %w", ctx.Err())
	case said.text != "":
		return nil, fmt.Errorf("%s: %s", firstLine(err.Error()), said.text)
	}
	return nil, errors.New(firstLine(err.Error()))
}

// exchange is what server and guest exchange during a call.
type exchange struct {
	in   []byte // what the guest reads next
	out  []byte // the reply
	acts int
	act  func(context.Context, []byte) ([]byte, error)
}

type exchangeKey struct{}

func (x *exchange) run(ctx context.Context, m api.Module) error {
	size := uint64(len(x.in))
	if f := m.ExportedFunction(initialize); f != nil {
		if _, err := f.Call(ctx); err != nil {
			return err
		}
	}
	_, err := m.ExportedFunction(entry).Call(ctx, size)
	return err
}

// The server's functions. A panic in them ends the machine, and is the error of Run.

func exchanged(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// hostRead copies what the guest was told the size of, the request or the result of an act, to its memory.
func hostRead(ctx context.Context, m api.Module, at uint32) {
	if !m.Memory().Write(at, exchanged(ctx).in) {
		panic(errors.New("read: the address is outside of the memory"))
	}
}

// hostWrite sets the reply.
func hostWrite(ctx context.Context, m api.Module, at, n uint32) {
	exchanged(ctx).out = textAt(m, at, n)
}

// hostCall does what the guest asks for, and returns the size of the result.
func hostCall(ctx context.Context, m api.Module, at, n uint32) uint32 {
	x := exchanged(ctx)
	if x.acts++; x.acts > maxActs {
		panic(fmt.Errorf("call: more than %d acts in one call", maxActs))
	}
	out, err := x.act(ctx, textAt(m, at, n))
	if err == nil && len(out) > maxText {
		err = fmt.Errorf("call: the result is larger than %d bytes", maxText)
	}
	if err != nil {
		panic(err)
	}
	x.in = out
	return uint32(len(out))
}

func textAt(m api.Module, at, n uint32) []byte {
	view, ok := m.Memory().Read(at, n)
	if !ok || n > maxText {
		panic(fmt.Errorf("a text is outside of the memory or larger than %d bytes", maxText))
	}
	return append([]byte{}, view...)
}

// complaint keeps the beginning of what a guest writes to standard error, on one line.
type complaint struct{ text string }

func (t *complaint) Write(b []byte) (int, error) {
	more := b[:min(len(b), maxError-len(t.text))]
	t.text += strings.ToValidUTF8(strings.ReplaceAll(string(more), "\n", " "), "?")
	t.text = t.text[:min(len(t.text), maxError)]
	return len(b), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
