package cli

import (
	"runtime/debug"

	"github.com/stoachat/stoa/domain/realm"
)

type version struct{}

// Run tells the version that was built, from what Go has noted in the program.
func (version) Run(e *env) error {
	v, commit, golang := "(unknown)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		v, golang = info.Main.Version, info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = ", commit " + s.Value[:12]
			}
		}
	}
	v = or(e.Version, v)
	e.say("stoa %s%s, %s\ninterface %s, feature level %d\n", v, commit, golang, realm.Version, realm.FeatureLevel)
	return nil
}
