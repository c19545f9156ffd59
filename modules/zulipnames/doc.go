// Package zulipnames sends Zulip clients the names that they know. For every key of the server's description that
// contains service_ it adds one with zulip_. Values with two spellings (the emoji type service_extra_emoji) are spelled
// zulip_... for clients whose User-Agent is listed in the configuration.
//
// Tables, events: none.
package zulipnames
