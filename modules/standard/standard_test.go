package standard_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// TestTogether checks that all modules work together.
func TestTogether(t *testing.T) {
	all := standard.Modules()
	last := len(all) - 1
	kittest.Check(t, all[last], all[:last]...)
}

// TestProviders checks kittest's table of ports and the modules that provide them. kittest.Check uses it to name
// missing modules.
func TestProviders(t *testing.T) {
	for _, m := range standard.Modules() {
		for _, port := range m.Provides {
			got := kittest.Provider(port.String())
			if got == "" || m.Slot == "" && got != "modules/"+m.Name {
				t.Errorf("app/kittest/providers.go: %v is provided by %q, want the folder of %s", port, got, m.Name)
			}
		}
	}
}
