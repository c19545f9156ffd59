// Party is the smallest server of a team's own: everything that Stoa ships, and one module more.
//
//	go run . serve --config party.yaml
package main

import (
	"example.com/party/birthdays"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/modules/standard"
)

func main() { app.Main(append(standard.Modules(), birthdays.Module)...) }
