package kit

import (
	"context"
	"net/netip"
)

type peerKey struct{}

// WithPeer returns a context with the address that Peer returns. The HTTP server calls it for mounted handlers.
func WithPeer(ctx context.Context, peer netip.Addr) context.Context {
	return context.WithValue(ctx, peerKey{}, peer)
}

// Peer returns the address from which the connection of a request to a mounted handler comes: the nearest proxy's, or
// the client's. ctx must be the request's context; otherwise the address is the zero value, which is in no network.
func Peer(ctx context.Context) netip.Addr {
	peer, _ := ctx.Value(peerKey{}).(netip.Addr)
	return peer
}
