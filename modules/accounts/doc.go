// Package accounts manages the people and bots of an organization: their accounts, how they log in, and their personal
// settings.
//
// An account is never deleted while messages refer to it. It is deactivated, which ends its API keys, sessions and
// event queues on every node. Passwords are hashed with Argon2id; of API keys only a hash is stored, except for the
// keys of bots, which their owners may read (see the module bots).
//
// What a person may know of another one depends on roles and on shared channels: sight.go decides it, and tells clients
// when it changes. Lists of people and event payloads follow from it.
//
// Ports: it provides Authenticator, Accounts, BotAccounts, Passwords, Credentials, UserSettings, UserUpdates and
// Avatars.
// Tables: users, user_passwords, api_keys, edited_settings (settings that differ from the organization's defaults), and
// awaited_users (who becomes a full member later).
// Events: realm_user add, update, remove; user_settings update.
package accounts
