// Package wasmcode changes WebAssembly modules so that their code can be stopped, whatever it does.
//
// The runtime can stop compiled code only if it was compiled with WithCloseOnContextDone, which makes it three to four
// times slower, and even then not code that calls functions instead of looping. Code that cannot be stopped also blocks
// the garbage collector, and thereby the whole server, until it returns.
//
// The modules are therefore changed before they are compiled. They count calls, loop iterations and operations on whole
// areas of memory, and from time to time call a function that lets the garbage collector run, by leaving the compiled
// code to grow the memory by zero pages. That function also ends the machine if the exported variable StopVariable is
// set. All this makes the code of decoders less than a tenth slower.
//
// A module may be hostile: whatever could change the count, or allocate without limit before it is stopped, is refused.
package wasmcode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// StopVariable is the name of the exported variable that ends the machine if it is not 0.
const StopVariable = "stoa_stop"

const (
	perYield = 4096 // calls and loop iterations, about 10 µs
	perBulk  = 256  // how many of these an operation on an area of memory counts as
	// maxElements is the maximum number of elements of all tables together.
	maxElements = 1 << 20
)

// Sections of a module. See https://webassembly.github.io/spec/core/binary/modules.html.
const (
	customSection = iota
	typeSection
	importSection
	functionSection
	tableSection
	memorySection
	globalSection
	exportSection
	startSection
	elementSection
	codeSection
	dataSection
	countSection // of data; precedes the code
)

// ErrModule reports a module that can't be made interruptible.
var ErrModule = errors.New("the module can't be made interruptible")

// Interruptible returns a module changed as described above. Errors: ErrModule.
func Interruptible(module []byte) ([]byte, error) {
	const magic = 8 // bytes, with the version
	if len(module) < magic {
		return nil, ErrModule
	}
	out := bytes.Clone(module[:magic])
	var c rewriter
	for r := (&code{data: module[magic:]}); len(r.data) > 0; {
		id := r.byte()
		body := r.bytes(int(r.number()))
		if r.failed {
			return nil, ErrModule
		}
		if id == customSection { // only for debugging
			continue
		}
		if !c.follows(id) {
			return nil, fmt.Errorf("%w: the section %d is repeated, unknown or not in order", ErrModule, id)
		}
		parts := []part{{id, body}}
		if id > globalSection && c.stopped == 0 { // the module has no variables
			parts = []part{{globalSection, []byte{0}}, {id, body}}
		}
		for _, p := range parts {
			changed, err := c.section(p.id, p.body)
			if err != nil {
				return nil, err
			}
			out = append(out, p.id)
			out = binary.AppendUvarint(out, uint64(len(changed)))
			out = append(out, changed...)
		}
	}
	if !c.complete {
		return nil, ErrModule
	}
	return out, nil
}

// part is a section with its content.
type part struct {
	id   byte
	body []byte
}

// rewriter changes the sections of a module in turn. It adds a function and its type, and two variables.
type rewriter struct {
	order            int    // of the last section
	typ              uint64 // type of the function
	function         uint64
	counter, stopped uint64 // variables
	complete         bool
}

// follows reports whether a section may follow those before it. None may come twice, since each is changed once.
func (c *rewriter) follows(id byte) bool {
	order := 2 * int(id)
	if id == countSection {
		order = 2*codeSection - 1
	}
	ok := id <= countSection && order > c.order
	c.order = order
	return ok
}

func (c *rewriter) section(id byte, body []byte) ([]byte, error) {
	r := &code{data: body}
	n := r.number()
	entries := r.data
	if r.failed {
		return nil, ErrModule
	}
	add := func(count uint64, more ...byte) []byte {
		return slices.Concat(binary.AppendUvarint(nil, n+count), entries, more)
	}
	switch id {
	case typeSection:
		c.typ = n
		return add(1, 0x60, 0, 0), nil // no parameters, no results
	case importSection:
		return body, c.imports(r, n)
	case functionSection:
		c.function += n
		return add(1, binary.AppendUvarint(nil, c.typ)...), nil
	case tableSection:
		return body, tables(r, n)
	case globalSection:
		c.counter += n
		c.stopped = c.counter + 1
		variable := func(value int) []byte { // a mutable i32
			return slices.Concat([]byte{0x7f, 1, opConst}, signed(value), []byte{opEnd})
		}
		return add(2, slices.Concat(variable(perYield), variable(0))...), nil
	case exportSection:
		name := append([]byte{byte(len(StopVariable))}, StopVariable...)
		return add(1, slices.Concat(name, []byte{3}, binary.AppendUvarint(nil, c.stopped))...), nil
	case codeSection:
		c.complete = true
		return c.functions(r, n)
	}
	return body, nil
}

// imports counts imported functions and variables, whose numbers precede those of the module itself.
func (c *rewriter) imports(r *code, n uint64) error {
	for range n {
		r.bytes(int(r.number()))
		r.bytes(int(r.number()))
		switch kind := r.byte(); kind {
		case 0:
			r.number()
			c.function++
		case 3:
			r.bytes(2)
			c.counter++
		default:
			return fmt.Errorf("%w: it imports an object of kind %d", ErrModule, kind)
		}
	}
	if r.failed {
		return ErrModule
	}
	return nil
}

// tables checks that tables are small, since the runtime allocates them at once.
func tables(r *code, n uint64) error {
	var elements uint64
	for range n {
		r.byte() // the type
		limited := r.byte()
		elements += min(r.number(), maxElements+1)
		if limited&1 == 1 {
			r.number()
		}
		if r.failed || elements > maxElements {
			return fmt.Errorf("%w: its tables have more than %d elements", ErrModule, maxElements)
		}
	}
	return nil
}

// Instructions.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opIf          = 0x04
	opEnd         = 0x0b
	opCall        = 0x10
	opDrop        = 0x1a
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opMemoryGrow  = 0x40
	opConst       = 0x41
	opAtMost      = 0x4c
	opAdd         = 0x6a
	opBulk        = 0xfc // followed by the number of the operation
	noResult      = 0x40

	firstBulk = 8 // those before it are conversions
	tableGrow = 15
)

func signed(n int) []byte { // LEB128
	var b []byte
	for ; n < -64 || n > 63; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n)&0x7f)
}

// functions inserts the check into all functions, and appends the function that the check calls.
func (c *rewriter) functions(r *code, n uint64) ([]byte, error) {
	get := func(v uint64) []byte { return binary.AppendUvarint([]byte{opGlobalGet}, v) }
	set := func(v uint64) []byte { return binary.AppendUvarint([]byte{opGlobalSet}, v) }
	count := func(n int) []byte {
		return slices.Concat(get(c.counter), []byte{opConst}, signed(-n), []byte{opAdd}, set(c.counter), get(c.counter),
			[]byte{opConst, 0, opAtMost, opIf, noResult, opCall}, binary.AppendUvarint(nil, c.function), []byte{opEnd})
	}
	one, bulk := count(1), count(perBulk)
	yield := slices.Concat([]byte{0}, // no variables
		[]byte{opConst}, signed(perYield), set(c.counter), []byte{opConst, 0, opMemoryGrow, 0, opDrop}, get(c.stopped),
		[]byte{opIf, noResult, opUnreachable, opEnd, opEnd})

	out := binary.AppendUvarint(nil, n+1)
	for range n {
		body := r.bytes(int(r.number()))
		if r.failed {
			return nil, ErrModule
		}
		changed, err := c.checked(body, one, bulk)
		if err != nil {
			return nil, err
		}
		out = append(binary.AppendUvarint(out, uint64(len(changed))), changed...)
	}
	return append(binary.AppendUvarint(out, uint64(len(yield))), yield...), nil
}

// checked inserts the check one at the start of a function, since it may be recursive, and of each of its loops, and
// the check bulk before operations on areas of memory and tables.
func (c *rewriter) checked(body, one, bulk []byte) ([]byte, error) {
	r := &code{data: body}
	for n := r.number(); n > 0 && !r.failed; n-- { // variables
		r.number()
		r.byte()
	}
	var out []byte
	kept := 0
	position := func() int { return len(body) - len(r.data) }
	insert := func(at int, check []byte) {
		out = append(append(out, body[kept:at]...), check...)
		kept = at
	}
	insert(position(), one)
	for len(r.data) > 0 && !r.failed {
		at := position()
		op := r.byte()
		rest := code{data: r.data}
		if !r.operands(op) {
			return nil, fmt.Errorf("%w: instruction %#x", ErrModule, op)
		}
		switch operand := rest.number; {
		case op == opLoop:
			insert(position(), one)
		case (op == opGlobalGet || op == opGlobalSet) && operand() >= c.counter:
			return nil, fmt.Errorf("%w: an unknown variable", ErrModule)
		case op == opBulk:
			switch n := operand(); {
			case n == tableGrow:
				return nil, fmt.Errorf("%w: its tables grow", ErrModule)
			case n >= firstBulk:
				insert(at, bulk)
			}
		}
	}
	if r.failed {
		return nil, ErrModule
	}
	return append(out, body[kept:]...), nil
}

// code reads parts of a module.
type code struct {
	data   []byte
	failed bool
}

func (r *code) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.data, r.failed = nil, true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *code) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads a number in LEB128. Callers do not need the values of signed or large numbers.
func (r *code) number() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (r *code) numbers(n int) {
	for range n {
		r.number()
	}
}

// operands skips the operands of an instruction, and reports whether the instruction is known. See
// https://webassembly.github.io/spec/core/appendix/index-instructions.html.
func (r *code) operands(op byte) bool {
	switch {
	case op == 0x00, op == 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, op == 0xd1,
		op >= 0x45 && op <= 0xc4:
	case op >= 0x02 && op <= 0x04, op == 0x0c, op == 0x0d, op == 0x10, op >= 0x20 && op <= 0x26, op >= 0x3f && op <= 0x42,
		op == 0xd0, op == 0xd2: // a type, an index or a number
		r.number()
	case op == 0x0e: // br_table
		r.numbers(int(min(r.number(), uint64(len(r.data)))) + 1)
	case op == 0x1c: // select with types
		r.numbers(int(min(r.number(), uint64(len(r.data)))))
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect, access to memory
		r.numbers(2)
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == 0xfc:
		switch sub := r.number(); sub {
		case 8, 10, 12, 14: // with two memories, tables or segments
			r.numbers(2)
		case 9, 11, 13, 15, 16, 17:
			r.number()
		}
	case op == 0xfd:
		r.vectorOperands()
	case op == 0xfe:
		if r.number() == 3 { // atomic.fence
			r.byte()
		} else {
			r.numbers(2)
		}
	default:
		return false
	}
	return true
}

func (r *code) vectorOperands() {
	switch op := r.number(); {
	case op <= 11, op == 92, op == 93: // access to memory
		r.numbers(2)
	case op == 12, op == 13: // v128.const, i8x16.shuffle
		r.bytes(16)
	case op >= 21 && op <= 34: // lanes
		r.byte()
	case op >= 84 && op <= 91: // access to a lane in memory
		r.numbers(2)
		r.byte()
	}
}
