package mattermost

import (
	"encoding/binary"
	"hash/fnv"
)

// repeats is a set of texts of a fixed size, which holds any number of them: it may claim to contain a text that was
// never added, but with a million texts only one in a hundred million times.
type repeats struct{ bits []uint64 }

const (
	repeatBits   = 1 << 27 // 16 MiB
	repeatHashes = 6
)

func newRepeats() *repeats { return &repeats{make([]uint64, repeatBits/64)} }

// add adds a text, and reports whether the set contained it.
func (r *repeats) add(text string) bool {
	h := fnv.New128a()
	_, _ = h.Write([]byte(text)) // never fails
	sum := h.Sum(nil)
	a, b := binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])|1
	contained := true
	for i := range uint64(repeatHashes) {
		n := (a + i*b) % repeatBits
		bit := uint64(1) << (n % 64)
		contained = contained && r.bits[n/64]&bit != 0
		r.bits[n/64] |= bit
	}
	return contained
}
