// Package calendar is a module of a team's own that adds to the web client: a page with the birthdays of the module
// birthdays, a settings panel for one's own, an action for messages, and an entry in the sidebar. The server's part
// consists of the files.
package calendar

import (
	"embed"
	"io/fs"

	"github.com/stoachat/stoa/modules/kit"
	"go.uber.org/fx"
)

// Module is what main appends to the list of modules.
var Module = kit.Define("calendar", "Shows birthdays in the web client.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct{ fx.In }

//go:embed web
var files embed.FS

func wire(Config, needs) (kit.Parts, error) {
	web, err := fs.Sub(files, "web")
	if err != nil {
		return kit.Parts{}, err
	}
	part, err := kit.Web(web, "calendar.js", "calendar.css")
	return kit.Parts{Web: part}, err
}
