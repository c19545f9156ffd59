package images

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The runtime can stop compiled code only if it was compiled with WithCloseOnContextDone, which makes decoders three to
// four times slower. Code that cannot be stopped also blocks the garbage collector, and thereby the whole server, until
// it returns.
//
// The modules are therefore changed before they are compiled. They count calls and loop iterations, and every perYield
// of them call a function that lets the garbage collector run, by leaving the compiled code to grow the memory by zero
// pages. That function also ends the machine if the exported variable stopVariable is set. All this makes decoders less
// than a tenth slower.

const (
	stopVariable = "stoa_stop"
	perYield     = 4096 // calls and loop iterations, about 10 µs
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
)

var errModule = errors.New("the module can't be made interruptible")

// interruptible returns a module changed as described above.
func interruptible(module []byte) ([]byte, error) {
	const magic = 8 // bytes, with the version
	if len(module) < magic {
		return nil, errModule
	}
	out := bytes.Clone(module[:magic])
	var c rewriter
	for r := (&code{data: module[magic:]}); len(r.data) > 0; {
		id := r.byte()
		body := r.bytes(int(r.number()))
		if r.failed {
			return nil, errModule
		}
		if id == customSection { // only for debugging
			continue
		}
		changed, err := c.section(id, body)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(changed)))
		out = append(out, changed...)
	}
	if !c.complete {
		return nil, errModule
	}
	return out, nil
}

// changer changes the sections of a module in turn. It adds a function and its type, and two variables.
type rewriter struct {
	typ              uint64 // type of the function
	function         uint64
	counter, stopped uint64 // variables
	check            []byte // the inserted instructions
	complete         bool
}

func (c *rewriter) section(id byte, body []byte) ([]byte, error) {
	r := &code{data: body}
	n := r.number()
	entries := r.data
	if r.failed {
		return nil, errModule
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
	case globalSection:
		c.counter += n
		c.stopped = c.counter + 1
		variable := func(value int) []byte { // a mutable i32
			return slices.Concat([]byte{0x7f, 1, opConst}, signed(value), []byte{opEnd})
		}
		return add(2, slices.Concat(variable(perYield), variable(0))...), nil
	case exportSection:
		name := append([]byte{byte(len(stopVariable))}, stopVariable...)
		return add(1, slices.Concat(name, []byte{3}, binary.AppendUvarint(nil, c.stopped))...), nil
	case codeSection:
		if c.stopped == 0 {
			return nil, errModule
		}
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
			return fmt.Errorf("%w: it imports an object of kind %d", errModule, kind)
		}
	}
	if r.failed {
		return errModule
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
	opEqualsZero  = 0x45
	opAdd         = 0x6a
	noResult      = 0x40
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
	c.check = slices.Concat(get(c.counter), []byte{opConst}, signed(-1), []byte{opAdd}, set(c.counter), get(c.counter),
		[]byte{opEqualsZero, opIf, noResult, opCall}, binary.AppendUvarint(nil, c.function), []byte{opEnd})
	yield := slices.Concat([]byte{0}, // no variables
		[]byte{opConst}, signed(perYield), set(c.counter), []byte{opConst, 0, opMemoryGrow, 0, opDrop}, get(c.stopped),
		[]byte{opIf, noResult, opUnreachable, opEnd, opEnd})

	out := binary.AppendUvarint(nil, n+1)
	for range n {
		body := r.bytes(int(r.number()))
		if r.failed {
			return nil, errModule
		}
		changed, err := c.checked(body)
		if err != nil {
			return nil, err
		}
		out = append(binary.AppendUvarint(out, uint64(len(changed))), changed...)
	}
	return append(binary.AppendUvarint(out, uint64(len(yield))), yield...), nil
}

// checked inserts the check at the start of a function, since it may be recursive, and of each of its loops.
func (c *rewriter) checked(body []byte) ([]byte, error) {
	r := &code{data: body}
	for n := r.number(); n > 0 && !r.failed; n-- { // variables
		r.number()
		r.byte()
	}
	var out []byte
	kept := 0
	insert := func() {
		at := len(body) - len(r.data)
		out = append(append(out, body[kept:at]...), c.check...)
		kept = at
	}
	insert()
	for len(r.data) > 0 && !r.failed {
		op := r.byte()
		if !r.operands(op) {
			return nil, fmt.Errorf("%w: instruction %#x", errModule, op)
		}
		if op == opLoop {
			insert()
		}
	}
	if r.failed {
		return nil, errModule
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
