// Package backup describes what happens to a server that is restored from a backup.
package backup

import "time"

// Restored is a hook event that runs in the unit of work that completes a restored database, before any server uses it.
// What the rows say about the time between the two moments is not known to have happened or not.
type Restored struct {
	Taken time.Time // when the backup was made
	At    time.Time // now
}
