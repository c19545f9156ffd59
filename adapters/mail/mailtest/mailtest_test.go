package mailtest_test

import (
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/domain/mail"
)

func TestFake(t *testing.T) {
	f := &mailtest.Fake{}
	mailtest.Contract(t, f, func(*testing.T) []mail.Message { return f.Received() }, f.AcceptLater)
}
