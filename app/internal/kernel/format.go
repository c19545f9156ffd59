package kernel

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// The formats of log entries. Nodes of the previous version read what this version writes, so a release must be able to
// read a format before the next one writes it.
const (
	writtenFormat = 1
	newestFormat  = 1 // that this program can read
)

// newerError reports an entry that only a newer version can read.
type newerError struct {
	realm  realm.ID
	seq    event.Seq
	format int16
	kind   event.Kind // the audience, if only that is unknown
}

func (e *newerError) Error() string {
	what := fmt.Sprintf("has format %d, and this version reads formats up to %d", e.format, newestFormat)
	if e.format <= newestFormat {
		what = fmt.Sprintf("is for an audience of kind %d, which this version does not know", e.kind)
	}
	return fmt.Sprintf("a newer version wrote the log: entry %d of realm %d %s; start the newer version here", e.seq,
		e.realm, what)
}

// readable fails if only a newer version can read the row.
func (w row) readable() error {
	// Not all columns may have been selected.
	if w.Format > newestFormat || w.Aud != 0 && !w.Aud.Known() {
		return &newerError{w.RealmID, w.Seq, w.Format, w.Aud}
	}
	return nil
}

// refuse records and logs that this node cannot follow the logs, once.
func (k *Kernel) refuse(err *newerError) {
	if k.newer.CompareAndSwap(nil, err) {
		k.log.Error("this node cannot follow the log and must be replaced", "error", err)
	}
}

// Check fails if another node has written log entries that this version cannot read.
func (k *Kernel) Check(context.Context) error {
	if err := k.newer.Load(); err != nil {
		return err
	}
	return nil
}
