package engine

import (
	"context"
	"errors"
	"io"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/kit"
)

// maxAhead is the maximum number of files that are downloaded at once.
const maxAhead = 4

// ahead downloads files while others are stored, which happens one at a time and in the order of the archive.
type ahead struct {
	*task
	ctx    context.Context //nolint:containedctx // that of the step; canceled by close
	cancel context.CancelFunc
	coming []*arrival // in order
}

// arrival is a file that is being downloaded.
type arrival struct {
	file *importing.File
	wait func() (io.ReadCloser, error)
}

func newAhead(ctx context.Context, t *task) *ahead {
	a := &ahead{task: t}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// add begins to download a file. If enough others are being downloaded, it first stores the one that began earliest.
func (a *ahead) add(ctx context.Context, f *importing.File) error {
	if len(a.coming) >= maxAhead {
		if err := a.next(ctx); err != nil {
			return err
		}
	}
	one := *f
	a.coming = append(a.coming, &arrival{&one, kit.Begin(func() (io.ReadCloser, error) {
		return a.source.Open(a.ctx, &one)
	})})
	return nil
}

// next stores the file that began earliest.
func (a *ahead) next(ctx context.Context) error {
	first := a.coming[0]
	a.coming = a.coming[1:]
	content, err := first.wait()
	return a.storeFile(ctx, first.file, content, err)
}

// finish stores all remaining files.
func (a *ahead) finish(ctx context.Context) error {
	for len(a.coming) > 0 {
		if err := a.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close ends the downloads that nobody needs any more.
func (a *ahead) close() error {
	a.cancel()
	var err error
	for _, x := range a.coming {
		if content, failed := x.wait(); failed == nil { // otherwise there is nothing to close
			err = errors.Join(err, content.Close())
		}
	}
	a.coming = nil
	return err
}
