// Package calls handles requests for video calls on external services. None is supported, so clients get the documented
// error instead of a missing route. Jitsi calls need no route: clients build the URL from realm_jitsi_server_url.
package calls
