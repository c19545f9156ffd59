package bunstore

import (
	"encoding/binary"
	"errors"
	"math"
)

// A Row is a row of a table in a form that does not depend on the kind of database: the values of its columns one after
// the other, each a byte with its kind and
//
//	0  nothing: NULL
//	1  a zig-zag varint: an integer; booleans are 0 and 1
//	2  eight bytes, little endian: a floating-point number
//	3  a varint with the length, and a text; times are texts such as 2006-01-02 15:04:05.999999+00:00
//	4  a varint with the length, and bytes
type Row []byte

// The kinds of values in a Row.
const (
	rowNull = iota
	rowInt
	rowFloat
	rowText
	rowBytes
)

func (r Row) appendInt(n int64) Row { return binary.AppendVarint(append(r, rowInt), n) }

func (r Row) appendFloat(f float64) Row {
	return binary.LittleEndian.AppendUint64(append(r, rowFloat), math.Float64bits(f))
}

func (r Row) appendText(s string) Row {
	return append(binary.AppendUvarint(append(r, rowText), uint64(len(s))), s...)
}

func (r Row) appendBytes(b []byte) Row {
	return append(binary.AppendUvarint(append(r, rowBytes), uint64(len(b))), b...)
}

var errRow = errors.New("a row is not complete")

// next returns the first value of a row, and the rest of the row. The value is nil, or an int64, float64, string or
// []byte.
func (r Row) next() (any, Row, error) {
	if len(r) == 0 {
		return nil, nil, errRow
	}
	kind, rest := r[0], r[1:]
	switch kind {
	case rowNull:
		return nil, rest, nil
	case rowInt:
		if n, size := binary.Varint(rest); size > 0 {
			return n, rest[size:], nil
		}
	case rowFloat:
		if len(rest) >= 8 {
			return math.Float64frombits(binary.LittleEndian.Uint64(rest)), rest[8:], nil
		}
	case rowText, rowBytes:
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return nil, nil, errRow
		}
		value, rest := rest[size:size+int(n)], rest[size+int(n):]
		if kind == rowText {
			return string(value), rest, nil
		}
		return []byte(value), rest, nil
	}
	return nil, nil, errRow
}

// Values returns the values of a row with the given number of columns: nil, int64, float64, string or []byte.
func (r Row) Values(columns int) ([]any, error) {
	out := make([]any, columns)
	var err error
	for i := range out {
		if out[i], r, err = r.next(); err != nil {
			return nil, err
		}
	}
	if len(r) > 0 {
		return nil, errRow
	}
	return out, nil
}
