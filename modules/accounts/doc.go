// Package accounts manages the people and bots of an organization: their accounts, logins and personal settings.
//
// Accounts are never deleted, because messages refer to them. They are deactivated instead, which revokes their API
// keys and ends their sessions and event queues on every node. Passwords are hashed with Argon2id. API keys of people
// are stored only as hashes; keys of bots are also stored encrypted, so that their owners can read them (see the module
// bots).
//
// Roles and shared channels determine which users a user can see, and which of their properties. User lists and event
// payloads follow these rules, which are in domain/permission. When a change affects what a user can see, visibility.go
// notifies the user's clients.
//
// Members become full members when their accounts reach the waiting period. internal/waiting announces new full members
// to other modules and stores the time of the last announcement.
//
// Ports: it provides Authenticator, Accounts, BotAccounts, Passwords, PasswordSources, Credentials, UserSettings and
// UserUpdates. Other modules add a PasswordSource, such as a directory, which is asked about passwords that are not
// those stored here. Hook events: runs permission.BecameFullMember. Queries: answers permission.WaitingPeriod and
// user.RecordOf.
//
// Tables: users, user_passwords, api_keys, edited_settings (settings that users have changed themselves), awaited_users
// (users created by administrators who have not logged in yet), and waiting_periods.
//
// Events: realm_user add, update, remove; user_settings update.
package accounts
