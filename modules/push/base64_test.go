package push_test

import (
	"fmt"
	"testing"
)

// TestRegistrationIsStrictBase64 checks that the four encoded fields of a registration follow RFC 4648, and that Web
// Push subscriptions are registered only at their own route.
func TestRegistrationIsStrictBase64(t *testing.T) {
	r := newRelay(t)
	s := start(t, "", r)
	alice := s.As("alice")
	device := fmt.Sprint(alice.Do("POST /register_client_device").OK().Int("device_id"))
	good := append([]string{"device_id", device}, append(keyFields(1, 'a'), tokenFields("xy")...)...)
	with := func(name, value string) []string {
		form := append([]string{}, good...)
		for i := 0; i < len(form); i += 2 {
			if form[i] == name {
				form[i+1] = value
			}
		}
		return form
	}
	valid := map[string]string{
		"push_key": pushKey('a'), "token_id": tokenID("xy"), "bouncer_public_key": "Ym91bmNlcg==",
		"encrypted_push_registration": sealedToken("xy"),
	}
	s.Skip()
	for name, v := range valid {
		whole := v[:4] // a group of four characters, so that what follows is a group of its own
		for _, bad := range []string{
			"", whole + "\n" + v[4:], whole + "\r\n" + v[4:], v + "\n", whole + " " + v[4:], "\t" + v, // not in the alphabet
			"_-" + v[2:],                                         // another alphabet
			whole + "QQ", whole + "QQ=", whole + "Q", "QQ==" + v, // bad padding
			whole + "QR==", // unused bits
		} {
			alice.Do("POST /mobile_push/register", with(name, bad)...).Error(400, "BAD_REQUEST", "Invalid "+name)
		}
	}
	for _, kind := range []string{"web", "FCM", "", "fcm "} {
		alice.Do("POST /mobile_push/register", with("token_kind", kind)...).Error(400, "BAD_REQUEST", "Invalid token_kind")
	}
	s.NoEvents()
	alice.Do("POST /mobile_push/register", good...).OK()
}
