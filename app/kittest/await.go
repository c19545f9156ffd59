package kittest

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// Await waits until the condition holds. Use it only for concurrent effects, such as changes in another node's view.
func Await(t testing.TB, condition func() bool) { t.Helper(); testrun.Await(t, "effect", condition) }
