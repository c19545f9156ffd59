package openapi_test

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// TestMeanings checks that every code of the server has a meaning, and that no meaning is left of one.
func TestMeanings(t *testing.T) {
	for _, c := range errs.Codes() {
		if openapi.Meanings()[c] == "" {
			t.Errorf("%s has no meaning in meanings.txt", c)
		}
	}
	for name := range openapi.Meanings() {
		if !slices.Contains(errs.Codes(), name) {
			t.Errorf("meanings.txt explains %s, which does not exist", name)
		}
	}
}
