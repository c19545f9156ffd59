// Package push registers devices and sends push notifications of messages to them.
//
// A client creates a device, then sets an encryption key and a sealed token that only the push service can open
// (ports.PushService). A job forwards the token from a durable queue and retries until the service responds. An event
// reports the outcome to the client. Without a push service, devices can be created but not registered.
//
// Browsers and UnifiedPush distributors need no push service: they register a Web Push subscription, and the server
// notifies them directly (ports.WebPush), with its own key (GET /web_push/key). The payload is the JSON that phones
// decrypt, with an additional badge: the number of unread messages for which the user was notified.
//
// The text of a notification is plain (ports.Renderer): it leaves out the content of spoilers, and times are in the
// receiver's time zone and language.
//
// The module notifications decides which users are notified of a message (notification.Decided). If the message is
// still unread when the notification is sent, it is encrypted for each of the receiver's devices and passed to the push
// service, with retries until the service accepts it or a day has passed. When the user reads the message, or it is
// deleted or hidden from them, the notification is withdrawn. Each user is notified of a message at most once; if a
// crash makes the server send a notification again, the copy is identical. Devices that registered only an unencrypted
// token are not notified of messages.
//
// Failed Web Push requests are retried per device for a day, at intervals that grow with the device's failures.
// Notifications for working devices never wait for a failing one. If a subscription has ended (404, 410), its device is
// deleted.
//
// Tables: push_devices; push_registrations, tokens waiting to be forwarded; push_tokens, the unencrypted tokens of
// older clients; push_notices, notifications and their state; push_rechecks, users whose notifications may have to be
// withdrawn; push_repeats, failed Web Push requests; push_secret, from which the key for Web Push is derived;
// push_realms, whether the push service delivers for a realm.
//
// Events: device (add, update, remove) and, for clients of older feature levels, push_device. Both are sent only to the
// owner of the device. A client that fails on unknown event types receives device only if it requests it by name
// (Config.StrictClients). push answers the question which clients these are (event.Strict).
//
// Surprising rules:
//
//   - A new token replaces the active one only after the service has accepted it.
//   - Keys of devices are stored encrypted with the server's secret, so that notifications cannot be decrypted with a
//     copy of the database.
//   - Browsers must display something for each request, so withdrawals are sent only to devices that support them
//     (can_withdraw). Other devices replace the notification with the next one or remove it when the app is opened.
//   - A Web Push subscription belongs to the user who registered it last, because users may share a browser.
//   - Notifications are passed to the push service even if it no longer delivers for a realm, so that the server
//     notices when delivery resumes and can inform clients (realm_push_notifications_enabled).
//   - When a user's API keys are revoked or the account is deactivated, all of their devices are deleted.
package push
