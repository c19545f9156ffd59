package accounts

import "github.com/stoachat/stoa/modules/kit"

// Turns blocks hashing in a module of WithTurns: every goroutine sends to it before hashing and receives from it
// afterwards.
type Turns = chan struct{}

// WithTurns returns the module and a function that sets the Turns of all later hashing. With an unbuffered channel, a
// test that receives from it knows that a goroutine is about to hash, and blocks that goroutine until it sends. Do not
// call the function while passwords are being hashed.
func WithTurns() (kit.Module, func(Turns)) {
	var s *service
	m := kit.Provide(Module.Name, Module.Doc, Module.Defaults.(Config),
		func(cfg Config, n needs) (kit.Parts, gives, error) {
			parts, out, err := wire(cfg, n)
			s = out.Accounts.(*service)
			return parts, out, err
		})
	return m, func(t Turns) { s.hasher.turns = t }
}
