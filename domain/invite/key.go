package invite

import "github.com/stoachat/stoa/domain/linkkey"

// Secret is what the keys of invitations are made with. The database holds no key: who can read it, and does not know
// the secret, can't use what is in it, while links can still be shown again to those who made them.
type Secret []byte

// what tells keys of invitations from others.
const what = "invite"

// Key gives the key of an invitation: its id, and what proves that whoever has it was given it.
func (s Secret) Key(i *Invite) string { return linkkey.Secret(s).Key(what, int64(i.ID), i.Nonce) }

// Parse reads a key, which says which invitation it is for; what it says is believed only when Proves agrees. False: it
// is none.
func Parse(key string) (id ID, proof []byte, ok bool) {
	n, proof, ok := linkkey.Parse(key)
	return ID(n), proof, ok
}

// Proves tells whether a key is that of an invitation, in a time that does not depend on how much of it is right.
func (s Secret) Proves(i *Invite, proof []byte) bool {
	return linkkey.Secret(s).Proves(what, int64(i.ID), i.Nonce, proof)
}

// Source gives by what an address of the network, or something else that is not to be kept, is known again.
func (s Secret) Source(from string) string { return linkkey.Secret(s).Source(from) }
