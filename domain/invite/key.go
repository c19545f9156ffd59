package invite

import "github.com/stoachat/stoa/domain/linkkey"

// Secret authenticates the keys of invitations. Keys are not stored: a copy of the database without the secret is
// useless, while users can still view links that they created.
type Secret []byte

// purpose distinguishes invitation keys from other keys derived from the same secret.
const purpose = "invite"

// Key returns the key of an invitation: its ID and a proof that the server issued it.
func (s Secret) Key(i *Invite) string { return linkkey.Secret(s).Key(purpose, int64(i.ID), i.Nonce) }

// Parse splits a key into an invitation's ID and a proof, to be verified with Proves; ok is false if it is malformed.
func Parse(key string) (id ID, proof []byte, ok bool) {
	n, proof, ok := linkkey.Parse(key)
	return ID(n), proof, ok
}

// Proves reports, in constant time, whether a proof belongs to an invitation.
func (s Secret) Proves(i *Invite, proof []byte) bool {
	return linkkey.Secret(s).Proves(purpose, int64(i.ID), i.Nonce, proof)
}

// Source returns a keyed hash by which a network address, or another value, can be recognized without storing it.
func (s Secret) Source(from string) string { return linkkey.Secret(s).Source(from) }
