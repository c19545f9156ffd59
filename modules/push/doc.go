// Package push registers devices for push notifications and notifies their owners of messages.
//
// A client registers a device, then sets a key to encrypt for it and a sealed token that only the push service can open
// (ports.PushService). A job forwards the token from a durable queue and retries until the service answers; an event
// reports the outcome to the client. Without a push service devices can be created, but not registered.
//
// Browsers and UnifiedPush distributors need no push service: they register a Web Push subscription, and the server
// notifies them itself (ports.WebPush), with its own key (GET /web_push/key). The payload is the JSON that phones
// decrypt, plus a badge: the number of unread messages that the user was notified of.
//
// The module notifications decides who is notified of a message (notification.Decided). When a notification is sent,
// and if the message is still unread, it is encrypted for each device of the receiver and passed to the push service
// until that accepts it or a day has passed. When the user reads the message, or it is deleted or hidden from them, the
// notification is withdrawn. Each user is notified of a message at most once; a notification that is sent again because
// the server died has the same bytes. Devices that registered only an unencrypted token are not notified of messages.
//
// Failed Web Push requests are repeated per device, with waits that grow with the device's failures, until a day has
// passed. Notifications for working devices never wait for one that fails. A subscription that has ended (404, 410) is
// deleted with its device.
//
// Tables: push_devices; push_registrations, tokens waiting to be forwarded; push_tokens, the unencrypted tokens of
// older clients; push_notices, notifications to be sent, shown, or over; push_rechecks, users whose notifications may
// have to be withdrawn; push_repeats, failed Web Push requests; push_secret, from which the key for Web Push is
// derived; push_realms, whether the push service delivers for a realm.
//
// Events: device (add, update, remove) for clients that know it, push_device for those of older feature levels; both go
// only to the owner of the device. A client that fails on unknown event types gets device only if it asks for it by
// name (Config.StrictClients).
//
// Surprising rules:
//
//   - A token replaces the active one only when the service has accepted it; until then the old one stays in use.
//   - Keys of devices are stored encrypted with the server's secret, so that a copy of the database cannot read
//     notifications.
//   - Browsers show something for each request, so withdrawals are sent only to devices that support them
//     (can_withdraw); others replace the notification with the next one, or when the app is opened.
//   - A Web Push subscription belongs to the user who registered it last, since users may share a browser.
//   - A push service that no longer delivers for a realm is still called for each message, so that clients learn when
//     it delivers again (realm_push_notifications_enabled).
//   - When a user's API keys are revoked or the account is deactivated, all of their devices are deleted.
package push
