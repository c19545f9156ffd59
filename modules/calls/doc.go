// Package calls answers clients that ask for the address of a video call on an external service. This server is
// connected to none: clients get the documented refusal rather than a missing route. Calls with Jitsi need no route:
// clients make the address themselves from realm_jitsi_server_url.
package calls
