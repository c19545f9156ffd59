// Package bots creates and manages bots: their settings, API keys and owners, and the key-value storage that each bot
// has. A bot's account belongs to the module accounts, which this module changes through ports.Accounts and
// BotAccounts.
//
// A bot's owner may read its API key at any time, so a hash is not enough: the keys of bots, and of no other users, are
// also stored encrypted with the server's secret (ports.Sealer), which is not part of the database. Without that secret
// a key still works but cannot be read; a new one can be issued. Tokens of outgoing webhooks are stored in the same
// way.
//
// A bot's defaults (channels and narrow) are shared facts, which messages and events apply: this module keeps the slot
// bot.Shared of the view. Events follow from changes of shared facts (directory.Changed).
//
// Ports: it provides BotServices. It asks permission.WaitingPeriod and user.UploadedAvatar.
// Tables: bots, bot_storages, bot_storage. Events: realm_bot add, update, delete.
package bots
