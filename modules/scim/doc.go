// Package scim lets identity providers create, change and deactivate accounts and user groups (SCIM 2.0, RFC 7643 and
// 7644) at /scim/v2.
//
// Rules:
//
//   - A client authenticates with a bearer token of the organization, of which only the hash is stored. Owners create
//     and revoke tokens; several can exist, so that one can replace another.
//   - Every person of the organization is a User; bots are not. Deleting one deactivates the account and forgets the
//     client's ID; messages stay. A deactivated account ends sessions, API keys and event queues on every node.
//   - A token cannot give roles above max_role, nor change the address or the role of accounts above it, who could be
//     taken over otherwise. The last owner is neither deactivated nor demoted.
//   - Only groups that a client has created are Groups; those of people and of the system stay theirs.
//   - Name, address and, if a client sets it, role of an account with a client cannot be changed by hand, and neither
//     can its groups. Deactivating by hand is always possible.
//   - The internal packages filter and patch limit what they read before they do.
//
// The client's IDs are in a table of this module, and not among the external identities of the module identities: these
// are ways to log in, and nobody logs in with SCIM.
//
// Tables: scim_tokens, scim_people, scim_groups. Ports: it uses Accounts, BotAccounts and Groups. Hooks: it handles
// directory.Changed, user.ProfileDeleted and user.Reactivated.
package scim
