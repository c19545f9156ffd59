package calendar_test

import (
	"testing"

	"example.com/party/calendar"
	"github.com/stoachat/stoa/app/kittest"
)

func TestModule(t *testing.T) { kittest.Check(t, calendar.Module) }
