package accounts

import "github.com/stoachat/stoa/modules/kit"

// Turns controls when hashing proceeds under Held: every hashing goroutine sends to it before hashing and receives from
// it afterwards.
type Turns = chan struct{}

// Held returns the module and a function that makes all later hashing take turns. With an unbuffered channel, a test
// that receives knows that a goroutine is about to hash, and blocks it until the test sends. No hashing may be in
// progress when the function is called.
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
