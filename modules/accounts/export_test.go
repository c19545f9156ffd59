package accounts

import "github.com/stoachat/stoa/modules/kit"

// Turns is what hashing waits for: in Held, whoever hashes sends to it, and receives from it when done.
type Turns = chan struct{}

// Held gives the module, and what has all who hash from then on take these turns. With a channel that has no room, a
// test knows that somebody has come to hash, when it receives, and holds them until it sends. Nobody must be hashing at
// the time.
func Held() (kit.Module, func(Turns)) {
	var s *service
	m := kit.Provide(Module.Name, Module.Doc, Module.Defaults.(Config),
		func(cfg Config, n needs) (kit.Parts, gives, error) {
			parts, out, err := wire(cfg, n)
			s = out.Accounts.(*service)
			return parts, out, err
		})
	return m, func(t Turns) { s.hasher.turns = t }
}
