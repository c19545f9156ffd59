package apidocs

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

// TestCodes checks that every code of the server has a meaning, and that no meaning is left of one.
func TestCodes(t *testing.T) {
	for _, c := range errs.Codes() {
		if meanings[string(c)] == "" {
			t.Errorf("%s has no meaning in codes.txt", c)
		}
	}
	for name := range meanings {
		if !slices.Contains(errs.Codes(), errs.Code(name)) {
			t.Errorf("codes.txt explains %s, which does not exist", name)
		}
	}
}
