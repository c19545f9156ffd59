package accounts_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, accounts.Module, realm.Module) }
