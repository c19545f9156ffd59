// Package pushrelay is a push relay: the service that takes notifications from servers and delivers them to phones.
// It is off by default; an organization that publishes a build of the mobile app runs it, for its own servers and for
// others. See README.md for how to set one up.
//
// Servers call POST /api/v1/remotes/push/e2ee/register (a form) and POST /api/v1/remotes/push/e2ee/notify (JSON) with
// HTTP basic authentication: their ID and key, which stoa push server add prints. Both are mounted handlers, because
// the caller is checked before any of the body is read.
//
// A device seals its token for the relay's public key, so that its server never learns it. The relay opens it, checks
// that it can deliver to it, and stores it encrypted with the server's secret. Notifications are encrypted for the
// device; the relay sees the ID of the token, the ID of the key, and the size. What APNs shows before the app has
// decrypted a notification is fixed here, so that no server can send text in the clear.
//
// Tables: push_relay_keys, the key pairs; push_relay_servers, who may use the relay; push_relay_realms, the
// organizations of these servers; push_relay_tokens, the registered devices. None of them belongs to an organization
// of this server.
//
// No events. Ports: it gives PushRelay to the commands stoa push, and needs PushDelivery.
//
// Rules that may surprise:
//   - An organization becomes known with the registration of its first device. A notification for one that is not
//     known is refused with MISSING_REMOTE_REALM; so is the first registration of one organization too many.
//   - The same organization of two servers is two organizations: no server can name the devices of another one.
//   - A device that claims another kind of token than it registered is reported dead. Refusing the call would let
//     one device keep all others of its organization from being notified.
//   - Push services that do not take a notification are asked again for a few seconds. The tokens that remain are
//     in retry_token_ids of the answer. A server that reads them says so with wants_retry_token_ids in the call; to
//     others the answer is 503 if no notification was taken at all, so that they repeat the call. Both are
//     additions to the protocol.
//   - A repeat has the same notification_id, which is another addition, or the same data. What this node remembers
//     to have delivered counts as sent and is not delivered again. Otherwise the repeat has the same collapse ID,
//     so that APNs and Web Push replace the first one on the device. FCM does not: it keeps at most four collapse
//     keys for a device that is offline.
//   - Requests for Web Push carry web_urgency (high or normal) in place of fcm_priority, and the answer counts them
//     in web_successfully_sent_count; both are additions to the protocol.
//   - A sealed registration names neither server nor organization, so whoever has one can register it for a day.
//     That server can then wake the device, but not show it anything: it lacks the key that notifications are
//     encrypted with.
//   - Quotas are counted in memory, on each node for itself.
package pushrelay
