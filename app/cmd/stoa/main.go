// Stoa is a team chat server. To build a team's own server, copy this file and append the team's modules to the list.
package main

import (
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/modules/standard"
)

func main() { app.Main(standard.Modules()...) }
