// Package status stores users' statuses: a short text and an emoji, kept until removed or until a chosen time. The
// older setting "away" is the inverse of the setting presence_enabled of accounts.
//
// POST /users/me/status and POST /users/{user_id}/status accept scheduled_end_time: when the server removes the status,
// in seconds since 1970; 0: never. Without this parameter, a changed text or emoji has no end, since the client does
// not know that the former one had. The end is an extension of the API: only clients whose client_capabilities contain
// status_end_times receive it, in /register and in events. All clients receive the event when the status ends.
//
// Table: user_statuses. Event: user_status. Ports: it uses UserSettings of accounts.
package status
