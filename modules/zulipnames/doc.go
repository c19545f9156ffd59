// Package zulipnames answers Zulip clients with the names that they know. Every key of the server's description that
// contains service_ is repeated with zulip_ instead. Values with two spellings (the emoji type service_extra_emoji) are
// spelled zulip_... for clients whose User-Agent is listed in the configuration.
package zulipnames
