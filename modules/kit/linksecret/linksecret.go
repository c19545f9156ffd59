// Package linksecret stores the secret from which a module derives the keys of its links (domain/linkkey). It is stored
// sealed with the server's secret: a copy of the database does not reveal it, and a node with a different server secret
// fails on first use instead of issuing links that other nodes reject.
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
	// Secret stores a secret in the only row of a table unless it has one, and returns the stored one.
	Secret(ctx context.Context, table, fresh string) (string, error)
}

// Keeper keeps one secret. The fields are set once.
type Keeper struct {
	Of     string // the purpose of the links, such as "invitations", for which it is sealed
	Table  string // its only row has the columns id, always 1, and secret
	Sealer ports.Sealer
	Work   ports.UnitOfWork
	Rows   Rows

	mu    sync.Mutex
	known linkkey.Secret // once read
}

// Secret returns the secret. The first call creates it.
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
	if err != nil { // not an errs.Error: the operator has to fix it
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
	k.Work.AfterCommit(ctx, func(context.Context) { // a secret created in a failed transaction is not stored
		k.mu.Lock()
		defer k.mu.Unlock()
		k.known = known
	})
	return known, nil
}
