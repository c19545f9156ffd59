// Package pushrelay implements a push relay: the service that accepts notifications from servers and delivers them to
// phones. It is off by default; an organization that publishes a build of the mobile app runs it, for its own servers
// and for others. README.md explains how to set one up.
//
// Servers call POST /api/v1/remotes/push/e2ee/register (a form) and POST /api/v1/remotes/push/e2ee/notify (JSON) with
// HTTP basic authentication: their ID and key, which stoa push server add prints. Both are mounted handlers, because
// the caller is checked before any of the body is read.
//
// A device seals its token for the relay's public key, so that its server never learns it. The relay opens it, checks
// that it can deliver to it, and stores it encrypted with the server's secret. Notifications are encrypted for the
// device; the relay sees the ID of the token, the ID of the key, and the size. The text that APNs shows before the app
// has decrypted a notification is fixed here, so that no server can send text in the clear.
//
// Tables: push_relay_keys, the key pairs; push_relay_servers, the servers that may use the relay; push_relay_realms,
// the organizations of these servers; push_relay_tokens, the registered devices. None of them belongs to an
// organization of this server.
//
// Events: none. Ports: it provides PushRelay for the commands stoa push, and needs PushDelivery.
//
// Surprising rules:
//
//   - An organization becomes known with the registration of its first device. A notification for an unknown one is
//     refused with MISSING_REMOTE_REALM; so is the first registration of one organization too many.
//   - The same organization on two servers counts as two organizations, so no server can name the devices of another
//     one.
//   - A device that claims another kind of token than it registered is reported dead. Refusing the call would let one
//     device keep all others of its organization from being notified.
//   - Push services that refuse a notification are retried for a few seconds. The remaining tokens are in
//     retry_token_ids of the answer. A server that reads them sends wants_retry_token_ids in the call; other servers
//     get 503 if no notification was accepted, so that they repeat the call. Both are additions to the protocol.
//   - A repeat has the same notification_id, which is another addition, or the same data. A notification that this node
//     remembers as delivered counts as sent and is not delivered again. Otherwise the repeat has the same collapse ID,
//     so that APNs and Web Push replace the first one on the device. FCM does not: it keeps at most four collapse keys
//     for a device that is offline.
//   - Requests for Web Push carry web_urgency (high or normal) instead of fcm_priority, and the answer counts them in
//     web_successfully_sent_count; both are additions to the protocol.
//   - A sealed registration names neither server nor organization, so any holder can register it for a day. That server
//     can then wake the device, but cannot show anything: it lacks the key that notifications are encrypted with.
//   - Quotas are counted in memory, per node.
package pushrelay
