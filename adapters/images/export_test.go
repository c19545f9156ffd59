package images

import (
	"context"

	"github.com/stoachat/stoa/domain/user"
)

// Paletted allows testing the quantization alone.
var Paletted = toPaletted

// Hold takes a user's turn, as a long-running Make does. done ends it.
func (m *Maker) Hold(ctx context.Context, u user.ID) (done func()) {
	done, err := m.perUser.Acquire(ctx, u)
	if err != nil {
		panic(err)
	}
	return done
}
