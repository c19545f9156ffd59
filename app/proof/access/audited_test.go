package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/user"
)

// Why a route that changes something is not in the audit log.
const (
	ownData       = "concerns only the caller's own settings and data"
	ofMessages    = "is about messages, whose authors, edits and deletions their history shows"
	fleeting      = "changes nothing that is stored, or only for a moment"
	needsBrowser  = "needs a browser's session, and issues a key by the same code as POST /fetch_api_key"
	secondFactor  = "needs a browser's session, or somebody with a second factor; modules/twofactor tests the entries"
	alwaysRefused = "always refuses requests"
	byModules     = "calls an installed module, which changes nothing of the administration"
	testedBelow   = "changes nothing in its row here; TestRoutesThatChangeNothingInTheirRows makes requests that do"
)

// unaudited lists the routes that change something but not the administration, with the reason.
var unaudited = reasons(map[string]string{
	ownData:       personalRoutes,
	ofMessages:    discussionRoutes,
	fleeting:      ephemeralRoutes,
	needsBrowser:  "POST /json/fetch_api_key\nPOST /stoa/identities",
	secondFactor:  secondFactorRoutes,
	alwaysRefused: unservableRoutes,
	byModules:     moduleRoutes,
	testedBelow:   elsewhereRoutes,
})

// reasons returns the reason of each route.
func reasons(routesOf map[string]string) map[string]string {
	of := map[string]string{}
	for reason, routes := range routesOf {
		for line := range strings.Lines(routes) {
			if route := strings.TrimSpace(line); route != "" {
				of[route] = reason
			}
		}
	}
	return of
}

// TestRoutesThatChangeNothingInTheirRows makes requests that change something, to routes whose rows do not.
func TestRoutesThatChangeNothingInTheirRows(t *testing.T) {
	w := newFixture(t, nil)
	two := func(call string, params ...string) [2]string {
		var ids [2]string
		for i := range ids {
			a := w.do(call, append(params, "name", w.fresh(), "pattern", w.fresh()+"(?P<id>[0-9]+)")...)
			for _, key := range []string{"id", "channel_folder_id"} {
				if a.Has(key) {
					ids[i] = fmt.Sprint(a.Int(key))
				}
			}
		}
		return ids
	}
	w.do("DELETE /stoa/identities/" + identify(w, w.olga))
	room := fmt.Sprint(w.do("POST /channels/create", "name", w.fresh(), "subscribers", "[]").Int("id"))
	w.do("POST /default_streams", "stream_id", room)
	w.do("DELETE /default_streams", "stream_id", room)
	folders := two("POST /channel_folders/create", "description", "")
	w.do("PATCH /channel_folders", "order", "["+folders[1]+","+folders[0]+"]")
	fields := two("POST /realm/profile_fields", "field_type", "1")
	w.do("PATCH /realm/profile_fields", "order", "["+fields[1]+","+fields[0]+"]")
	patterns := two("POST /realm/filters", "url_template", "https://example.com/{id}")
	w.do("PATCH /realm/linkifiers", "ordered_linkifier_ids", "["+patterns[1]+","+patterns[0]+"]")
	w.do("PATCH /realm/user_settings_defaults", "twenty_four_hour_time", "true")
	for _, others := range []string{"", "one"} {
		_, err := w.s.Ports.Sessions.Begin(t.Context(), user.Actor{Realm: w.s.Realm, Agent: "Firefox"}, w.olga.id)
		w.must(err)
		if others == "" {
			all, _ := w.do("GET /sessions").Get("sessions").([]any)
			w.do(fmt.Sprint("DELETE /sessions/", all[0].(map[string]any)["id"]))
			continue
		}
		w.do("DELETE /sessions")
	}
	w.do("DELETE /stoa/api_keys/" + w.newKey(w.olga))
	link := w.do("POST /invites/multiuse").String("invite_link")
	link = strings.TrimSuffix(link, "/")
	w.ask(&caller{at: w.s.Anonymous()}, "POST /join", "key", link[strings.LastIndex(link, "/")+1:], "email",
		"new@proof.example.com", "full_name", "New", "password", kittest.Password).OK()
	w.do("POST /realm/deactivate")
	w.must(w.s.Ports.States.Reactivate(t.Context(), w.s.Realm))
	got := map[string]bool{}
	w.auditedRoutes(got)
	for route, reason := range unaudited {
		if reason == testedBelow && !got[route] {
			t.Errorf("%s left no entry in the audit log", route)
		}
	}
}

// auditedRoutes adds the routes of the entries in the audit log of the fixture's realm.
func (w *fixture) auditedRoutes(routes map[string]bool) {
	w.t.Helper()
	for before := int64(0); ; {
		var page struct {
			Entries []audit.Entry
			More    bool
		}
		w.do("GET /audit_log", "limit", "1000", "before", fmt.Sprint(before)).JSON(&page)
		for _, e := range page.Entries {
			routes[e.Route], before = true, e.ID
		}
		if !page.More {
			return
		}
	}
}

// checkAudited checks that each route of a table that changes something was recorded when it succeeded, or is listed.
func (w *fixture) checkAudited(tab table, routes map[string]bool) {
	w.t.Helper()
	for _, r := range tab.rows {
		changes := !strings.HasPrefix(r.route, "GET ")
		switch reason, listed := unaudited[r.route]; {
		case changes && !listed && !routes[r.route]:
			w.t.Errorf("%s left no entry in the audit log: record what it changes (ports.Audit), or list it in "+
				"audited_test.go with the reason", r.route)
		case listed && routes[r.route] && reason != ownData && reason != testedBelow && reason != needsBrowser:
			w.t.Errorf("%s is in the audit log: remove it from the list in audited_test.go", r.route)
		}
	}
}

const (
	personalRoutes = `
		DELETE /attachments/:attachment_id
		DELETE /bot_storage
		DELETE /drafts/:draft_id
		DELETE /events
		DELETE /navigation_views/:fragment+
		DELETE /reminders/:reminder_id
		DELETE /saved_snippets/:saved_snippet_id
		DELETE /scheduled_messages/:scheduled_message_id
		DELETE /users/me/alert_words
		DELETE /users/me/android_gcm_reg_id
		DELETE /users/me/apns_device_token
		DELETE /users/me/avatar
		DELETE /users/me/muted_users/:muted_user_id
		DELETE /users/me/profile_data
		PATCH /drafts/:draft_id
		PATCH /navigation_views/:fragment+
		PATCH /saved_snippets/:saved_snippet_id
		PATCH /scheduled_messages/:scheduled_message_id
		PATCH /settings
		PATCH /settings/display
		PATCH /settings/notifications
		PATCH /stoa/settings/user
		PATCH /users/me/do_not_disturb
		PATCH /users/me/profile_data
		PATCH /users/me/subscriptions/:stream_id
		PATCH /users/me/subscriptions/muted_topics
		POST /drafts
		POST /mobile_push/register
		POST /navigation_views
		POST /register
		POST /register_client_device
		POST /reminders
		POST /remove_client_device
		POST /saved_snippets
		POST /scheduled_messages
		POST /user_topics
		POST /user_uploads
		POST /users/me/alert_words
		POST /users/me/android_gcm_reg_id
		POST /users/me/apns_device_token
		POST /users/me/avatar
		POST /users/me/muted_users/:muted_user_id
		POST /users/me/onboarding_steps
		POST /users/me/status
		POST /users/me/subscriptions/properties
		POST /web_push/register
		POST /zcommand
		PUT /bot_storage`
	discussionRoutes = `
		DELETE /messages/:message_id
		DELETE /messages/:message_id/reactions
		PATCH /messages/:message_id
		POST /external/:integration
		POST /mark_all_as_read
		POST /mark_stream_as_read
		POST /mark_topic_as_read
		POST /messages
		POST /messages/:message_id/reactions
		POST /messages/:message_id/report
		POST /messages/flags
		POST /messages/flags/narrow
		POST /submessage`
	ephemeralRoutes = `
		POST /imports/:import_id/archive
		POST /imports/:import_id/check
		POST /join/look
		POST /messages/:message_id/typing
		POST /messages/render
		POST /mobile_push/e2ee/test_notification
		POST /mobile_push/test_notification
		POST /realm/linkifiers/test
		POST /realm/test_welcome_bot_custom_message
		POST /stoa/password/strength
		POST /stoa/slash
		POST /typing
		POST /users/me/presence`
	moduleRoutes = `
		DELETE /modules/:module_name/:module_path+
		PATCH /modules/:module_name/:module_path+
		POST /modules/:module_name/:module_path+
		PUT /modules/:module_name/:module_path+`
	secondFactorRoutes = `
		DELETE /stoa/second_factor/app
		DELETE /stoa/second_factor/passkeys/:passkey_id
		DELETE /stoa/second_factor/users/:user_id
		POST /stoa/second_factor/app
		POST /stoa/second_factor/app/confirm
		POST /stoa/second_factor/passkeys
		POST /stoa/second_factor/passkeys/begin
		POST /stoa/second_factor/recovery_codes`
	unservableRoutes = `
		POST /calls/constructorgroups/create
		POST /calls/nextcloud_talk/create
		POST /calls/webex/create
		POST /calls/zoom/create`
	elsewhereRoutes = `
		DELETE /default_streams
		DELETE /sessions
		DELETE /sessions/:session_id
		DELETE /stoa/api_keys/:key_id
		DELETE /stoa/identities/:identity_id
		PATCH /channel_folders
		PATCH /realm/linkifiers
		PATCH /realm/profile_fields
		PATCH /realm/user_settings_defaults
		POST /join
		POST /realm/deactivate`
)
