package access_test

import (
	"strings"
	"testing"
)

// withoutBots lists the routes that exclude bots; on all others, bots act like users. Each has the sentence of the
// API's description that excludes them, or the reason why the route is meaningless for an account without a password,
// a browser and a reader.
var withoutBots = map[string]string{
	"DELETE /users/me":                                `"deactivate oneself": humans`,
	"GET /users/me/do_not_disturb":                    "bots have no notifications",
	"PATCH /users/me/do_not_disturb":                  "bots have no notifications",
	"POST /users/me/status":                           `"set own status": humans`,
	"POST /users/me/presence":                         `"report and fetch presence": humans`,
	"PATCH /users/me/profile_data":                    `"set own profile fields": humans`,
	"DELETE /users/me/profile_data":                   `"clear own profile fields": humans`,
	"POST /users/me/onboarding_steps":                 `"mark a hint as seen": humans`,
	"PATCH /settings":                                 `"personal settings, name, e-mail, password": humans`,
	"PATCH /settings/display":                         "as PATCH /settings",
	"PATCH /settings/notifications":                   "as PATCH /settings",
	"PATCH /stoa/settings/user":                       "as PATCH /settings",
	"POST /register_client_device":                    `"register a device": humans`,
	"POST /remove_client_device":                      `"remove a device": humans`,
	"POST /mobile_push/register":                      `"encrypted push registration and rotation": humans`,
	"POST /mobile_push/e2ee/test_notification":        `"encrypted test notification": humans`,
	"POST /mobile_push/test_notification":             `"legacy test notification": humans`,
	"POST /users/me/android_gcm_reg_id":               `"legacy FCM token": humans`,
	"DELETE /users/me/android_gcm_reg_id":             `"remove FCM token": humans`,
	"POST /users/me/apns_device_token":                `"legacy APNs token": humans`,
	"DELETE /users/me/apns_device_token":              `"remove APNs token": humans`,
	"GET /web_push/key":                               `"whom to notify (push and e-mail; people only, never bots)"`,
	"POST /web_push/register":                         `"whom to notify (push and e-mail; people only, never bots)"`,
	"GET /sessions":                                   `sessions: "list and end by the person"`,
	"GET /stoa/api_keys":                              "owners of bots see their keys",
	"DELETE /stoa/api_keys/:key_id":                   "owners of bots replace their keys",
	"GET /stoa/identities":                            "people log in at identity providers",
	"POST /stoa/identities":                           "people log in at identity providers",
	"DELETE /stoa/identities/:identity_id":            "people log in at identity providers",
	"GET /stoa/second_factor":                         "people log in with a password",
	"POST /stoa/second_factor/app":                    "people log in with a password",
	"POST /stoa/second_factor/app/confirm":            "people log in with a password",
	"DELETE /stoa/second_factor/app":                  "people log in with a password",
	"POST /stoa/second_factor/recovery_codes":         "people log in with a password",
	"POST /stoa/second_factor/passkeys/begin":         "people log in with passkeys",
	"POST /stoa/second_factor/passkeys":               "people log in with passkeys",
	"DELETE /stoa/second_factor/passkeys/:passkey_id": "people log in with passkeys",
	"DELETE /sessions":                                `sessions: "list and end by the person"`,
	"DELETE /sessions/:session_id":                    `sessions: "list and end by the person"`,
	"GET /calls/bigbluebutton/join":                   "people join calls, with a browser",
	"POST /json/fetch_api_key":                        `"session only": bots have no sessions`,
	"POST /bots":                                      "a bot's owner is a person, since responsibility for it ends with a person's account",
}

// TestBotsActLikeUsers checks that only the routes above exclude bots.
func TestBotsActLikeUsers(t *testing.T) {
	w := newFixture(t, nil)
	excluding := map[string]bool{}
	for _, m := range w.s.Ports.Collected.Modules {
		for _, e := range m.Parts.Endpoints {
			if !strings.HasPrefix(e.Access.Name(), "human") {
				continue
			}
			name := routeOf(e)
			excluding[name] = true
			if withoutBots[name] == "" {
				t.Errorf("%s does not admit bots: use kit.Users, or say in withoutBots what excludes them", name)
			}
		}
	}
	for name := range withoutBots {
		if !excluding[name] {
			t.Errorf("%s admits bots: remove it from withoutBots", name)
		}
	}
}
