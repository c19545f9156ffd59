// Package calendar is an example of a module that extends the web client in each way there is, with the birthdays from
// the module birthdays: pages, settings, buttons, commands, messages that it draws. Its server part only provides the
// files.
//
//	web/calendar.js pages, settings, the sidebar and the menu of messages
//	web/slots.js    everything else
package calendar

import (
	"embed"
	"io/fs"

	"github.com/stoachat/stoa/modules/kit"
	"go.uber.org/fx"
)

// Module is the module. Append it to the list in main.
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
