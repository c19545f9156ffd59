package channel_test

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
)

func TestCompareNames(t *testing.T) {
	want := []string{
		"", "1", "2", "10", "10b", "A10", "a", "a1", "a2", "a02b", "a10", "day 2", "day 10", "day 10 b", "über",
	}
	for i, a := range want {
		for j, b := range want {
			if got, wanted := channel.CompareNames(a, b), min(1, max(-1, i-j)); got != wanted {
				t.Errorf("CompareNames(%q, %q) = %d, want %d", a, b, got, wanted)
			}
		}
	}
	// Numbers beyond the range of integers.
	huge := []string{"99999999999999999999", "100000000000000000000"}
	if !slices.IsSortedFunc(huge, channel.CompareNames) {
		t.Error("long numbers are not ordered by value")
	}
}
