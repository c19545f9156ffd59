// Package linksecret keeps the secret that a module makes the keys of its links with (domain/linkkey). The database
// holds it sealed with the server's own secret: a copy of the database alone does not reveal it, and a node with
// another secret of its own notices at the first use, instead of making links that fail at other nodes.
package linksecret

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/stoachat/stoa/domain/linkkey"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Rows is the database.
type Rows interface {
	// Secret stores a secret in the only row of a table unless there is one already, and returns the one that is stored.
	Secret(ctx context.Context, table, fresh string) (string, error)
}

// Keeper keeps one secret. The fields are set once.
type Keeper struct {
	Of     string // what the links are for, such as "invitations"; part of what it is sealed for
	Table  string // its only row has the columns id, which is 1, and secret
	Sealer ports.Sealer
	Work   ports.UnitOfWork
	Rows   Rows

	mu    sync.Mutex
	known linkkey.Secret // once it has been read
}

// Secret gives the secret, and makes it when it is needed for the first time.
func (k *Keeper) Secret(ctx context.Context) (linkkey.Secret, error) {
	k.mu.Lock()
	known := k.known
	k.mu.Unlock()
	if known != nil {
		return known, nil
	}
	purpose := "secret of " + k.Of
	b := make([]byte, linkkey.SecretBytes)
	_, _ = rand.Read(b) // never fails
	fresh, err := k.Sealer.Seal(purpose, hex.EncodeToString(b))
	if err != nil {
		return nil, err
	}
	sealed, err := kit.Tx(ctx, k.Work, func(ctx context.Context) (string, error) {
		return k.Rows.Secret(ctx, k.Table, fresh)
	})
	if err != nil {
		return nil, err
	}
	text, err := k.Sealer.Open(purpose, sealed)
	if err != nil { // no refusal: whoever runs the server must see to it
		return nil, fmt.Errorf(
			"the %s can't be read with the server's secret: give all nodes the secret that it was sealed with, or empty "+
				"the table %s, after which no link that was sent can be used: %v",
			purpose,
			k.Table,
			err,
		)
	}
	if known, err = hex.DecodeString(text); err != nil {
		return nil, fmt.Errorf("the %s: %w", purpose, err)
	}
	k.Work.AfterCommit(ctx, func(context.Context) { // what was made in a change that fails is not kept
		k.mu.Lock()
		defer k.mu.Unlock()
		k.known = known
	})
	return known, nil
}
