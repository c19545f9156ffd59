package pushtest_test

import (
	"testing"

	"github.com/stoachat/stoa/adapters/push/relay/pushtest"
)

func TestFake(t *testing.T) {
	f := &pushtest.Fake{}
	pushtest.Contract(t, f, f)
}
