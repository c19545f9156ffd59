package idset

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
)

// fewIDs is the size up to which sets are encoded as readable lists of numbers.
const fewIDs = 16

// The first byte of a packed set names its encoding.
const (
	asGaps byte = 1 // differences between consecutive IDs
	asBits byte = 2 // the first ID, then a bitmap of the following ones
)

// Packed is a set with a compact encoding for the log: short sets are lists of numbers, others gaps or bits in
// base64, whichever is shorter. A hundred thousand consecutive IDs take 17 KB.
type Packed[T ~int64] Set[T]

var errPacked = errors.New("idset: not a packed set")

// MarshalJSON encodes the set.
func (p Packed[T]) MarshalJSON() ([]byte, error) {
	if len(p) <= fewIDs {
		list := make([]int64, len(p))
		for i, id := range p {
			list[i] = int64(id)
		}
		return json.Marshal(list)
	}
	packed := p.gaps()
	if bits := (p[len(p)-1]-p[0])/8 + 16; int64(bits) < int64(len(packed)) {
		packed = p.bits()
	}
	return json.Marshal(base64.RawStdEncoding.EncodeToString(packed))
}

func (p Packed[T]) gaps() []byte {
	out := []byte{asGaps}
	var last T
	for _, id := range p {
		out = binary.AppendVarint(out, int64(id-last))
		last = id
	}
	return out
}

func (p Packed[T]) bits() []byte {
	out := binary.AppendVarint([]byte{asBits}, int64(p[0]))
	from := len(out)
	out = append(out, make([]byte, (p[len(p)-1]-p[0])/8+1)...)
	for _, id := range p {
		n := int(id - p[0])
		out[from+n/8] |= 1 << (n % 8)
	}
	return out
}

// UnmarshalJSON decodes all encodings.
func (p *Packed[T]) UnmarshalJSON(b []byte) error {
	*p = nil
	if len(b) > 0 && b[0] == '"' {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		packed, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil || len(packed) < 2 {
			return errPacked
		}
		return p.unpack(packed[0], packed[1:])
	}
	var list []int64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	ids := make([]T, len(list))
	for i, id := range list {
		ids[i] = T(id)
	}
	*p = Packed[T](Of(ids...))
	return nil
}

func (p *Packed[T]) unpack(how byte, packed []byte) error {
	first, n := binary.Varint(packed)
	if n <= 0 {
		return errPacked
	}
	switch how {
	case asBits:
		for i, b := range packed[n:] {
			for bit := range 8 {
				if b&(1<<bit) != 0 {
					*p = append(*p, T(first+int64(8*i+bit)))
				}
			}
		}
	case asGaps:
		*p = append(*p, T(first))
		for rest := packed[n:]; len(rest) > 0; rest = rest[n:] {
			var gap int64
			if gap, n = binary.Varint(rest); n <= 0 || gap <= 0 {
				return errPacked
			}
			first += gap
			*p = append(*p, T(first))
		}
	default:
		return errPacked
	}
	return nil
}
