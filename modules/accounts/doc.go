// Package accounts manages the people and bots of an organization: their accounts, logins and personal settings.
//
// An account is never deleted while messages refer to it. It is deactivated instead, which ends its API keys, sessions
// and event queues on every node. Passwords are hashed with Argon2id. API keys are stored as hashes, except for those
// of bots, which their owners may read (see the module bots).
//
// What users may know of each other depends on roles and shared channels: see sight.go, which also notifies clients of
// changes. User lists and event payloads follow these rules.
//
// Ports: it provides Authenticator, Accounts, BotAccounts, Passwords, Credentials, UserSettings, UserUpdates and
// Avatars.
//
// Tables: users, user_passwords, api_keys, edited_settings (settings that differ from the organization's defaults), and
// awaited_users (users without a first login yet).
//
// Events: realm_user add, update, remove; user_settings update.
package accounts
