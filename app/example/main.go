// Party is the smallest server of a team's own: everything that Stoa ships, and modules of one's own.
//
//	go run . serve --config party.yaml
package main

import (
	"example.com/party/birthdays"
	"example.com/party/calendar"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/modules/standard"
)

func main() { app.Main(append(standard.Modules(), birthdays.Module, calendar.Module)...) }
