package readstate

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// Encoding and decoding a chunk preserves the set; equal sets have equal encodings.
func TestEncode(t *testing.T) {
	const chunk = readstate.Chunk(3)
	runs := func(n, long, gap int) (ids readstate.IDs) {
		at := chunk.First()
		for range n {
			for range long {
				ids, at = append(ids, at), at+1
			}
			at += message.ID(gap)
		}
		return ids
	}
	all := map[string]readstate.IDs{
		"none": nil, "one": runs(1, 1, 0), "the last": {chunk.First() + 65_535}, "all": runs(1, 65_536, 0),
		"one run":  runs(1, 500, 0),
		"few runs": runs(fewRuns-1, 70, 3), "as many as are few": runs(fewRuns, 70, 3), "one more": runs(fewRuns+1, 70, 3),
		"many": runs(300, 100, 1), "every other": runs(30_000, 1, 1),
	}
	r := rand.New(rand.NewPCG(1, 2))
	var random readstate.IDs
	for n := range message.ID(1 << readstate.ChunkBits) {
		if r.IntN(5) == 0 {
			random = append(random, chunk.First()+n)
		}
	}
	all["random"] = random
	for name, ids := range all {
		stored, err := encode(ids)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(readstate.IDs{7}, chunk, stored)
		if err != nil || !slices.Equal(got, append(readstate.IDs{7}, ids...)) {
			t.Errorf("%s: %d ids were decoded as %d, %v", name, len(ids), len(got)-1, err)
		}
		b := roaring.New()
		for _, id := range ids {
			b.Add(readstate.Low(id))
		}
		b.RunOptimize()
		if want, err := b.ToBytes(); len(ids) > 0 && (err != nil || !bytes.Equal(stored, want)) {
			t.Errorf("%s: %d bytes, as a list %d", name, len(stored), len(want))
		}
	}
}
