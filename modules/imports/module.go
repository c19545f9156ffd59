package imports

import (
	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module examines archives of other chat programs.
var Module = kit.Define("imports", "Examines what other chat programs have exported.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Clock ports.Clock
	Emoji ports.Emoji
}

type service struct{ needs }

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n}
	return kit.Parts{Commands: []kit.Command{
		kit.NewCommand("import examine", s.examine,
			"Report what an archive of another program contains, and what an import of it would lose.").
			OfServer().WithoutDatabase(),
	}}, nil
}
