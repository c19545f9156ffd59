package jobs

import (
	"context"
	"errors"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// recovered runs a job and converts a panic to an error.
func (r *Runner) recovered(ctx context.Context, j kit.Job) (err error) {
	defer func() {
		var p *kit.PanicError
		if errors.As(err, &p) {
			r.log.Error("job panicked", "job", j.Name, "module", p.Module, "panic", p.Value, "stack", p.Stack)
		}
	}()
	module, _, _ := strings.Cut(j.Name, ".")
	defer r.Panics.Recover(module, j.Name, &err)
	return j.Run(ctx)
}
