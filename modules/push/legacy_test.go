package push_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestLegacyTokens(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, nil)
		alice, bob := s.As("alice"), s.As("bob")
		for range 2 {
			alice.Do("POST /users/me/apns_device_token", "token", "abcd", "appid", "org.example.App-1").OK()
			bob.Do("POST /users/me/apns_device_token", "token", "abcd", "appid", "org.example.App-1").OK()
			alice.Do("POST /users/me/android_gcm_reg_id", "token", "gcm:1").OK()
		}
		for _, c := range [][]string{
			{"POST /users/me/android_gcm_reg_id", "token", ""},
			{"POST /users/me/android_gcm_reg_id", "token", strings.Repeat("x", 4097)},
			{"POST /users/me/apns_device_token", "token", "xyz", "appid", "org.example"},
			{"POST /users/me/apns_device_token", "token", "ab", "appid", "org/example"},
			{"POST /users/me/apns_device_token", "token", "ab", "appid", ""},
			{"DELETE /users/me/apns_device_token", "token", "ef"},
		} {
			alice.Do(c[0], c[1:]...).Error(400, "BAD_REQUEST", "")
		}
		alice.Do("POST /mobile_push/test_notification").OK()
		alice.Do("POST /mobile_push/test_notification", "token", "gcm:1").OK()
		bob.Do("POST /mobile_push/test_notification", "token", "gcm:1").Error(400, "INVALID_PUSH_DEVICE_TOKEN", "")
		alice.Do("DELETE /users/me/apns_device_token", "token", "abcd").OK()
		alice.Do("DELETE /users/me/apns_device_token", "token", "abcd").Error(400, "BAD_REQUEST", "Token does not exist")
		bob.Do("DELETE /users/me/apns_device_token", "token", "abcd").OK()
	})
}
