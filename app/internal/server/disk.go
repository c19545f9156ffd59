package server

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/modules/kit"
)

// minFreeDisk is how many bytes should be free on the disk of the data folder. With less, the server runs, but not for
// long.
const minFreeDisk = 64 << 20

// diskCheck returns a check that fails if fewer than least bytes are free on the disk that holds dir.
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
