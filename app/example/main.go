// Party is an example of a team's own server: everything that Stoa ships, plus the team's modules and adapters.
//
//	go run . serve --config party.yaml
package main

import (
	"example.com/party/birthdays"
	"example.com/party/calendar"
	"example.com/party/charts"
	"example.com/party/intranet"
	"example.com/party/mailapi"
	"example.com/party/tickets"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/modules/standard"
)

func main() {
	app.Main(append(standard.Modules(), birthdays.Module, calendar.Module, charts.Module, intranet.Module,
		mailapi.Module, tickets.Module)...)
}
