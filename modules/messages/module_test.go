package messages_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

func TestModule(t *testing.T) { kittest.Check(t, messages.Module) }
