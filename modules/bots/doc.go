// Package bots creates and manages bots (README.md says how to write one): their settings, API keys and owners, and
// each bot's key-value storage. A bot's account belongs to the module accounts, which this module calls through
// ports.Accounts and BotAccounts.
//
// A bot's owner can read its API key at any time, so a hash is not sufficient: unlike those of people, keys of bots are
// also stored encrypted with the server's secret (ports.Sealer), which is not part of the database. If that secret is
// lost, a key still works but cannot be read, and the owner can create a new one. Tokens of outgoing webhooks are
// stored in the same way.
//
// A bot's owner is a person, so that the responsibility for it ends with a person's account: bots cannot create or own
// bots. Bots with the administrator role manage other bots like administrators, but never themselves.
//
// A bot's defaults (channels and narrow) are shared facts, which the modules messages and events apply. This module
// maintains the slot bot.Shared of the view, and derives its events from changes of shared facts (directory.Changed).
//
// Queries: it answers bot.ConfigOf and ServiceOf, and uses permission.WaitingPeriod and user.UploadedAvatar. Tables:
// bots, bot_storages, bot_storage. Events: realm_bot add, update, delete.
package bots
