package sessions

import "github.com/stoachat/stoa/modules/kit"

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	return kit.NotExported("login secrets", "sessions", "login_tokens")
}
