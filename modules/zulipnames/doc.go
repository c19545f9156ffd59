// Package zulipnames adds the names that existing Zulip clients expect. For every key of the server's description that
// begins with service_ or realm_service_, it adds the same key with zulip_ in place of service_. Values with two
// spellings (the emoji type service_extra_emoji) are sent as zulip_... to clients whose User-Agent is listed in the
// configuration.
//
// Tables, events: none.
package zulipnames
