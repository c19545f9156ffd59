package accounts

import "github.com/stoachat/stoa/modules/kit"

// HashSlots limits hashing in a module returned by WithHashSlots: every goroutine sends to it before hashing and
// receives from it afterwards.
type HashSlots = chan struct{}

// WithHashSlots returns the module and a function that sets the HashSlots of all later hashing. With an unbuffered
// channel, a test blocks each goroutine that is about to hash until it receives from the channel. Do not call the
// function while passwords are being hashed.
func WithHashSlots() (kit.Module, func(HashSlots)) {
	var s *service
	m := kit.Provide(Module.Name, Module.Doc, Module.Defaults.(Config),
		func(cfg Config, n needs) (kit.Parts, provides, error) {
			parts, out, err := wire(cfg, n)
			s = out.Accounts.(*service)
			return parts, out, err
		})
	return m, func(t HashSlots) { s.hasher.slots = t }
}
