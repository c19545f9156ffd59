package server

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/modules/kit"
)

// leastDisk is how many bytes must be free in the data folder. With less the server still runs, but not for long.
const leastDisk = 64 << 20

// diskCheck fails while fewer than least bytes are free on the disk of a folder.
func diskCheck(dir string, least uint64) kit.Check {
	return kit.Check{Name: "disk", Minor: true, Run: func(context.Context) error {
		free, known := freeBytes(dir)
		if known && free < least {
			return fmt.Errorf(
				"only %d MiB are free on the disk of %s; free some space, or the server will not be able to store anything",
				free>>20,
				dir,
			)
		}
		return nil
	}}
}
