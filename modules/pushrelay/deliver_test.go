package pushrelay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
)

const apnsToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

// TestDeliver checks that each push service gets requests in its format, and that invalid tokens are removed.
func TestDeliver(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		r := start(t, database, "")
		web := r.device.Subscription(r.web.URL + "/push/1")
		r.notify().Error(403, "MISSING_REMOTE_REALM", "")
		for range 2 { // repeats are harmless
			r.register(push.APNs, apnsToken)
			r.register(push.FCM, "fcm:1")
			r.register(push.Web, web)
		}
		all := []string{forAPNs(apnsToken, someData), forFCM("fcm:1", "normal"), forWeb(web, "n1"), forFCM("unknown", "high")}
		r.notify(all...).Is(200, answer(1, 1, 1, quoted("unknown"), ""))
		onFCM, onAPNs, onWeb := r.fcm.takeOne(), r.apns.takeOne(), r.web.takeOne()
		if onAPNs.token != apnsToken || onFCM.token != "fcm:1" || onWeb.token != "/push/1" ||
			onFCM.header.Get("Priority") != "NORMAL" || onWeb.header.Get("Urgency") != "normal" {
			t.Errorf("APNs got %+v, FCM %+v, Web Push %+v", onAPNs, onFCM, onWeb)
		}
		for _, c := range []struct {
			got  delivered
			want string
		}{
			{onAPNs, `{"aps":{"mutable-content":1,"alert":{"title":"New notification"}},"push_key_id":7,` +
				`"encrypted_data":"` + someData + `"}`},
			{onFCM, `{"encrypted_data":"` + someData + `","push_key_id":"4294967295"}`},
			{onWeb, `{"encrypted_data":"` + someData + `","push_key_id":"7"}`},
		} {
			if string(c.got.payload) != c.want {
				t.Errorf("payload %s\nwant %s", c.got.payload, c.want)
			}
		}

		// A retry is not delivered again. If the relay no longer remembers the first delivery, the retry replaces it on
		// the device.
		again := []string{forAPNs(apnsToken, someData), forFCM("fcm:1", "normal"), forWeb(web, "n1")}
		r.notify(again...).Is(200, answer(1, 1, 1, "", ""))
		for _, s := range []*service{r.apns, r.fcm.service, r.web} {
			if _, n := s.takeDelivered(); n != 0 {
				t.Errorf("a push service got %d requests for a repeat", n)
			}
		}
		r.Restart()
		r.notify(again...).Is(200, answer(1, 1, 1, "", ""))
		r.fcm.takeDelivered()
		a, w := r.apns.takeOne(), r.web.takeOne()
		if a.header.Get("Apns-Collapse-Id") != onAPNs.header.Get("Apns-Collapse-Id") ||
			w.header.Get("Topic") != onWeb.header.Get("Topic") {
			t.Error("a repeat does not replace the first notification")
		}
		r.notify(forAPNs(apnsToken, "b3RoZXI="), forWeb(web, "n2")).OK()
		a, w = r.apns.takeOne(), r.web.takeOne()
		if a.header.Get("Apns-Collapse-Id") == onAPNs.header.Get("Apns-Collapse-Id") ||
			w.header.Get("Topic") == onWeb.header.Get("Topic") {
			t.Error("another notification replaces the first one")
		}
		quiet := `{"token_id":` + quoted(apnsToken) + `,"http_headers":{"apns_priority":5,"apns_push_type":"background"},
			"payload":{"push_key_id":7,"encrypted_data":"AAAA"}}`
		r.notify(r.distinct(quiet, forFCM("fcm:1", "high"))...).Is(200, answer(1, 1, 0, "", ""))
		r.apns.takeOne()
		if got := r.fcm.takeOne(); got.header.Get("Priority") != "HIGH" {
			t.Errorf("FCM got %+v", got)
		}

		// Dead tokens are reported and not used again.
		r.apns.refuse(apnsToken, refusal{status: 410, body: `{"reason":"Unregistered","timestamp":1780315200000}`})
		r.fcm.refuse("fcm:1", refusal{status: 404, body: `{"error":{"code":404,"details":[{"errorCode":"UNREGISTERED"}]}}`})
		r.web.refuse("/push/1", refusal{status: 410})
		all[2] = forWeb(web, "")
		dead := []string{quoted(apnsToken), quoted("fcm:1"), quoted(web), quoted("unknown")}
		sorted := sortedList(dead)
		r.notify(r.distinct(all...)...).Is(200, answer(0, 0, 0, sorted, ""))
		r.apns.takeDelivered()
		r.fcm.takeDelivered()
		r.web.takeDelivered()
		r.notify(r.distinct(all...)...).Is(200, answer(0, 0, 0, sorted, ""))
		for _, s := range []*service{r.apns, r.fcm.service, r.web} {
			if _, n := s.takeDelivered(); n != 0 {
				t.Errorf("a push service got %d requests for a dead token", n)
			}
		}
		r.register(push.FCM, "fcm:1")
		r.notify(r.distinct(forFCM("fcm:1", "high"))...).Is(200, answer(1, 0, 0, "", ""))
	})
}

// TestServices checks how the responses of push services are handled.
func TestServices(t *testing.T) {
	r := start(t, "", "")
	web := r.device.Subscription(r.web.URL + "/push/1")
	r.register(push.APNs, apnsToken)
	r.register(push.FCM, "fcm:1")
	r.register(push.Web, web)
	services := map[string]struct {
		*service
		token, request, id string
	}{
		"apns": {r.apns, apnsToken, forAPNs(apnsToken, someData), quoted(apnsToken)},
		"fcm":  {r.fcm.service, "fcm:1", forFCM("fcm:1", "high"), quoted("fcm:1")},
		"web":  {r.web, "/push/1", forWeb(web, ""), quoted(web)},
	}
	badToken := `{"error":{"details":[{"fieldViolations":[{"field":"message.token"}]}]}}`
	fcmError := func(code string) string { return `{"error":{"details":[{"errorCode":"` + code + `"}]}}` }
	times := func(n int, one refusal) (all []refusal) {
		for range n {
			all = append(all, one)
		}
		return all
	}
	r.notify(r.distinct(forFCM("fcm:1", "high"))...).OK() // this logs in
	r.fcm.takeDelivered()
	for _, c := range []struct {
		service string
		answers []refusal
		want    string // sent, dead, later or refused
		tries   int    // 0: any number
	}{
		{"apns", times(1, refusal{status: 429, body: `{"reason":"TooManyRequests"}`}), "sent", 2},
		{"apns", times(1, refusal{status: 503, body: `{"reason":"Shutdown"}`}), "sent", 2},
		{"apns", times(1, refusal{status: 403, body: `{"reason":"ExpiredProviderToken"}`}), "sent", 2},
		{"apns", times(2, refusal{status: 403, body: `{"reason":"ExpiredProviderToken"}`}), "later", 2},
		{"apns", times(1, refusal{status: 403, body: `{"reason":"InvalidProviderToken"}`}), "later", 1},
		{"apns", times(99, refusal{status: 503}), "later", 0},
		{"apns", times(1, refusal{status: 500, body: "<html>"}), "sent", 2},
		{"apns", times(1, refusal{status: 413, body: `{"reason":"PayloadTooLarge"}`}), "refused", 1},
		{"apns", times(1, refusal{status: 400, body: `{"reason":"BadDeviceToken"}`}), "dead", 1},
		{"apns", times(1, refusal{status: 400, body: `{"reason":"DeviceTokenNotForTopic"}`}), "dead", 1},
		{"fcm", times(1, refusal{status: 429, body: fcmError("QUOTA_EXCEEDED")}), "sent", 2},
		{"fcm", times(1, refusal{status: 429, body: fcmError("QUOTA_EXCEEDED"), after: "60"}), "later", 1},
		{"fcm", times(1, refusal{status: 503, body: fcmError("UNAVAILABLE")}), "sent", 2},
		{"fcm", times(99, refusal{status: 500, body: "<html>"}), "later", 0},
		{"fcm", times(1, refusal{status: 403, body: fcmError("SENDER_ID_MISMATCH")}), "dead", 1},
		{"fcm", times(1, refusal{status: 400, body: badToken}), "dead", 1},
		{"fcm", times(1, refusal{status: 400, body: fcmError("INVALID_ARGUMENT")}), "refused", 1},
		{"fcm", times(1, refusal{status: 404, body: "no such project"}), "later", 1},
		{"web", times(1, refusal{status: 429}), "sent", 2},
		{"web", times(1, refusal{status: 429, after: "120"}), "later", 1},
		{"web", times(99, refusal{status: 502}), "later", 0},
		{"web", times(1, refusal{status: 413}), "refused", 1},
		{"web", times(1, refusal{status: 403}), "refused", 1},
		{"web", times(1, refusal{status: 302}), "refused", 1},
		{"web", times(1, refusal{status: 404}), "dead", 1},
	} {
		s := services[c.service]
		s.refuse(s.token, c.answers...)
		got := r.notify(r.distinct(s.request)...)
		switch c.want {
		case "later":
			got.Error(503, "SERVICE_UNAVAILABLE", "")
		case "dead":
			got.Is(200, answer(0, 0, 0, s.id, ""))
		case "refused":
			got.Is(200, answer(0, 0, 0, "", ""))
		default:
			got.OK()
		}
		taken, tries := s.takeDelivered()
		if c.tries != 0 && tries != c.tries || c.tries == 0 && tries < 3 || (len(taken) == 1) != (c.want == "sent") {
			t.Errorf("%s after %+v: %d requests, %d accepted", c.service, c.answers[0], tries, len(taken))
		}
		s.refuse(s.token)
		if c.want == "dead" {
			for kind, token := range map[push.TokenKind]string{push.APNs: apnsToken, push.FCM: "fcm:1", push.Web: web} {
				r.register(kind, token)
			}
		}
	}

	// An expired login is renewed.
	r.fcm.expire()
	r.notify(r.distinct(forFCM("fcm:1", "high"))...).Is(200, answer(1, 0, 0, "", ""))
	r.fcm.takeOne()

	// If only some push services fail, the response lists the tokens to retry.
	r.apns.refuse(apnsToken, times(99, refusal{status: 503})...)
	r.notify(r.distinct(forFCM("fcm:1", "high"), forAPNs(apnsToken, someData))...).
		Is(200, answer(1, 0, 0, "", quoted(apnsToken)))
	r.apns.Close()
	r.notify(forAPNs(apnsToken, someData)).Error(503, "SERVICE_UNAVAILABLE", "")
	body := fmt.Sprintf(`{"realm_uuid":%q,"wants_retry_token_ids":true,"push_requests":[%s]}`, realmUUID,
		forAPNs(apnsToken, someData))
	r.as(r.server).Send(notifyPath, "application/json", strings.NewReader(body)).
		Is(200, answer(0, 0, 0, "", quoted(apnsToken)))

	var health struct {
		Checks map[string]string `json:"checks"`
	}
	r.Anonymous().Under("").Do("GET /health").JSON(&health)
	if health.Checks["adapters.delivery"] != "ok" || health.Checks["pushrelay.key"] != "ok" {
		t.Errorf("health is %v", health)
	}
}

// TestUnused checks that a device without notifications for a year is removed.
func TestUnused(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		r := start(t, database, "unused: 72h")
		r.register(push.FCM, "idle")
		r.register(push.FCM, "busy")
		for range 3 {
			r.Clock.Advance(47 * time.Hour)
			r.notify(r.distinct(forFCM("busy", "high"))...).OK()
			r.RunJob("pushrelay.purge")
		}
		r.notify(forFCM("busy", "high"), forFCM("idle", "high")).Is(200, answer(1, 0, 0, quoted("idle"), ""))
	})
}

func sortedList(all []string) string {
	slices.Sort(all)
	return strings.Join(all, ",")
}
