// Package bots makes and manages bots: their settings, their API keys, their owners, and the key-value storage that a
// bot has for itself. A bot's account is one of the module accounts, which this module changes through ports.Accounts
// and BotAccounts.
//
// A bot's owner may read its API key at any time, so a hash is not enough: the keys of bots, and of nobody else, are
// also stored encrypted with the server's secret (ports.Sealer), which is not part of the database. Without that secret
// a key still works but cannot be read; a new one can be made. Tokens of outgoing webhooks are stored in the same way.
//
// What a bot uses by default is a shared fact, on which messages and events act; this module loads that part of the
// directory. Who is told what about which bot follows from changes of shared facts (directory.Changed).
//
// Ports: it provides BotServices.
// Tables: bots, bot_storages, bot_storage. Events: realm_bot add, update, delete.
package bots
