// Package pushrelay implements a push relay: the service that accepts notifications from servers and delivers them to
// phones. It is off by default. Organizations that publish a build of the mobile app run it, for their own servers and
// for others. README.md explains how to set one up.
//
// Servers call POST /api/v1/remotes/push/e2ee/register (a form) and POST /api/v1/remotes/push/e2ee/notify (JSON) with
// HTTP basic authentication: their ID and key, which stoa push server add prints. Both routes are mounted handlers, so
// that they can authenticate the caller before they read the body.
//
// A device encrypts its token with the relay's public key, so that its server cannot read it. The relay decrypts the
// token, checks that it can deliver to it, and stores it encrypted with the relay's own secret. Notifications are
// encrypted for the device. The relay can see the ID of the token, the ID of the key, and the size. The text that APNs
// shows before the app has decrypted a notification is a constant, so that no server can send unencrypted text.
//
// Tables: push_relay_keys, the key pairs; push_relay_servers, the servers with access to the relay; push_relay_realms,
// the organizations of these servers; push_relay_tokens, the registered devices. None of this data belongs to a realm.
//
// Events: none. Ports: it provides PushRelay for the commands stoa push, and needs PushDelivery.
//
// Surprising rules:
//
//   - An organization is added when its first device registers. Notifications for unknown organizations are rejected
//     with MISSING_REMOTE_REALM, and so are registrations that would exceed the maximum number of organizations.
//   - The same organization on two servers counts as two organizations, so that no server can notify devices of
//     another.
//   - If a request's token kind differs from the registered one, the token is reported as invalid. Rejecting the whole
//     call would allow one device to prevent notifications to all others of its organization.
//   - If push services reject notifications temporarily, the relay retries for a few seconds. The response lists the
//     remaining tokens in retry_token_ids. A server that handles them sends wants_retry_token_ids in the call. Other
//     servers get 503 if no notification was accepted, so that they retry the call. Both are additions to the protocol.
//   - A retry has the same notification_id, which is another addition, or the same data. If this node has delivered
//     the notification recently, it counts as sent and is not delivered again. Otherwise the retry has the same
//     collapse ID, so that APNs and Web Push replace the first notification on the device. FCM does not, because it
//     supports at most four collapse keys for a device that is offline.
//   - Requests for Web Push contain web_urgency (high or normal) instead of fcm_priority, and the response counts them
//     in web_successfully_sent_count. Both are additions to the protocol.
//   - A sealed registration contains neither server nor organization, so any server that obtains it can register it for
//     a day. That server can then wake the device but display nothing, because it lacks the encryption key for
//     notifications.
//   - Quotas are counted in memory, per node.
package pushrelay
