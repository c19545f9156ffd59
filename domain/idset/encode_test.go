package idset

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestPacked(t *testing.T) {
	dense, sparse, mixed := make([]int64, 100_000), make([]int64, 1000), []int64{-5, 3}
	for i := range dense {
		dense[i] = int64(i + 7)
	}
	for i := range sparse {
		sparse[i] = int64(i) * 1_000_003
		mixed = append(mixed, int64(i*i))
	}
	for name, c := range map[string]struct {
		ids  []int64
		most int // bytes
	}{
		"none": {nil, 2}, "one": {[]int64{4}, 3}, "few": {[]int64{1, 2, 3}, 7}, "dense": {dense, 17_000},
		"sparse": {sparse, 6000}, "mixed": {mixed, 5000},
	} {
		want := Of(c.ids...)
		text, err := json.Marshal(Packed[int64](want))
		if err != nil || len(text) > c.most {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		var got Packed[int64]
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(want, Set[int64](got)) {
			t.Errorf("%s: decoded as %d ids, %v", name, len(got), err)
		}
	}
}

func TestPackedRefuses(t *testing.T) {
	for _, bad := range []string{`"x"`, `""`, `"AQ"`, `"BAI"`, `{}`, `["a"]`, `"AQIA"`} {
		var p Packed[int64]
		if json.Unmarshal([]byte(bad), &p) == nil {
			t.Errorf("%s was decoded as %v", bad, p)
		}
	}
}
