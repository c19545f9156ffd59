package previews_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

// /register reports whether the server supports previews.
func TestRegister(t *testing.T) {
	s, _ := open(t)
	if got := s.As("bob").Do("POST /register", "fetch_event_types",
		`["realm"]`).OK().Get("server_inline_url_embed_preview"); got != true {
		t.Errorf("with the module: %v", got)
	}
	without := kittest.Start(t, realm.Module, accounts.Module, events.Module)
	if got := without.As("bob").Do("POST /register", "fetch_event_types",
		`["realm"]`).OK().Get("server_inline_url_embed_preview"); got != false {
		t.Errorf("without: %v", got)
	}
}
