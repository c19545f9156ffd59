// Stoa is a team chat server. A team's own server is this file with the team's modules appended to the list.
package main

import (
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/modules/standard"
)

func main() { app.Main(standard.Modules()...) }
