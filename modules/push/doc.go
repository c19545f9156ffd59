// Package push registers devices for push notifications and notifies their owners of messages.
//
// A client registers a device, then gives it a key to encrypt for it and a sealed token that only the push service can
// open (ports.PushService). The token is forwarded by a job from a durable queue, repeated until the service answers, and
// the client learns the outcome by an event. Without a push service devices can still be created, but not registered.
//
// Browsers and UnifiedPush distributors need no push service of apps: they register a Web Push subscription, and the
// server notifies them itself (ports.WebPush), with a key of its own (GET /web_push/key). The payload is the JSON that
// phones decrypt, with a badge: the number of unread messages that the person was notified of.
//
// The module notifications decides who is notified of a message (notification.Raised). A notification is encrypted
// for each device of its receiver when it is sent, if the message is still unread then, and handed over to the push
// service until that has accepted it or a day has passed. When the person reads the message, or it is deleted or
// hidden from them, the notification is withdrawn. Each person is notified of a message at most once; a notification
// that has to be sent again because the server was lost has the same bytes. Devices that registered only an
// unencrypted token are not notified of messages.
//
// What Web Push does not take is repeated to that device alone, after waits that grow with its failures, until a day
// has passed. Notifications for devices that work never wait for one that does not. A subscription that has ended
// (404, 410) is deleted with its device.
//
// Tables: push_devices; push_registrations, the tokens that wait to be forwarded; push_tokens, the unencrypted tokens
// of older clients; push_notices, what is to be sent, is shown, or has been; push_rechecks, people some of whose
// notifications may have to be withdrawn; push_repeats, what Web Push did not take; push_secret, from which the key for
// Web Push is derived; push_realms, whether the push service delivers for a realm.
//
// Events: device (add, update, remove) for clients that know it, push_device for those of older feature levels; both go to
// the owner of the device only. A client that fails on unknown event types gets device only if it asks for it by name
// (Config.StrictClients).
//
// Rules that may surprise:
//   - A token replaces the active one only when the service has accepted it; until then the old one stays in use.
//   - Keys of devices are stored encrypted with the server's secret: a copy of the database can't read notifications.
//   - Browsers show something for everything that they are sent, so only those devices are told to withdraw a
//     notification that said they can (can_withdraw); others replace it with the next one, or when the app is opened.
//   - A Web Push subscription belongs to whoever registered it last: people may share a browser.
//   - A push service that no longer delivers for a realm is asked with each message all the same, so that clients
//     learn when it does again (realm_push_notifications_enabled).
//   - When a person's API keys are revoked or the account is deactivated, all of their devices are deleted.
package push
