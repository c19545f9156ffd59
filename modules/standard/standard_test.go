package standard_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// TestTogether proves of all modules at once what each proves of itself.
func TestTogether(t *testing.T) {
	all := standard.Modules()
	last := len(all) - 1
	kittest.Check(t, all[last], all[:last]...)
}
