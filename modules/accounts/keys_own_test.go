package accounts_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestOwnKeys checks that people see which programs use their keys, and revoke one of them.
func TestOwnKeys(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		log := s.Anonymous().Agent("ZulipFlutter/30.0").Do("POST /fetch_api_key", "username", "alice@example.com",
			"password", kittest.Password).OK()
		phone := s.WithKey("alice@example.com", log.String("api_key"))
		first := s.Clock.Now().Unix()
		phone.Agent("ZulipFlutter/31.0").Do("GET /users/me").OK()
		s.RunJob("accounts.note_used_keys")
		s.Clock.Advance(time.Hour)
		s.RunJob("accounts.note_used_keys") // which must not count as a use

		type key struct {
			ID      string `json:"key_id"`
			Client  string `json:"client"`
			Used    *int64 `json:"last_used_at"`
			From    string `json:"address"`
			Current bool   `json:"current"`
		}
		list := func() []key {
			var all struct {
				Keys []key `json:"api_keys"`
			}
			s.As("alice").Do("GET /stoa/api_keys").OK().JSON(&all)
			return all.Keys
		}
		var of key
		for _, k := range list() {
			if !k.Current {
				of = k
			}
		}
		if of.Client != "ZulipFlutter/31.0" || of.Used == nil || *of.Used != first || of.From != "127.0.0.1" {
			t.Errorf("%+v", of)
		}
		s.As("bob").Do("DELETE /stoa/api_keys/"+of.ID).Error(400, "BAD_REQUEST", "No such API key")
		s.As("alice").Do("DELETE /stoa/api_keys/" + of.ID).OK()
		phone.Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
		if all := list(); len(all) != 1 || !all[0].Current {
			t.Errorf("%+v", all)
		}
	})
}
