package identities_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/identities"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

// The module's behavior is tested with a provider, in modules/oidc.
func TestModule(t *testing.T) {
	kittest.Check(t, identities.Module, realm.Module, accounts.Module, sessions.Module)
}
