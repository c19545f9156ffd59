// Package linksecret stores the secret from which a module derives the keys of its links; see domain/linkkey. The
// secret is sealed with the server's secret: a copy of the database does not reveal it, and a node with a different
// server secret fails on first use instead of issuing links that other nodes reject.
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

// Rows accesses the database.
type Rows interface {
	// Secret returns the secret in the only row of table. If the table is empty, it stores and returns fresh.
	Secret(ctx context.Context, table, fresh string) (string, error)
}

// Store stores one secret. The exported fields must not change after the first use.
type Store struct {
	Purpose string // the purpose of the links, such as "invitations"; authenticated by the seal
	Table   string // a table with the columns id, which is always 1, and secret
	Sealer  ports.Sealer
	Work    ports.UnitOfWork
	Rows    Rows

	mu    sync.Mutex
	known linkkey.Secret // nil until the first call of Secret
}

// Declared declares the table, which is not exported for the given reason.
func (k *Store) Declared(reason string) kit.Table {
	return kit.Table{Name: k.Table, Doc: reason, Columns: []kit.Column{{Name: "id", Key: true}, {Name: "secret"}},
		Sealed: k.purpose()}
}

func (k *Store) purpose() string { return "secret of " + k.Purpose }

// Secret returns the secret. If none is stored, it creates one.
func (k *Store) Secret(ctx context.Context) (linkkey.Secret, error) {
	k.mu.Lock()
	known := k.known
	k.mu.Unlock()
	if known != nil {
		return known, nil
	}
	purpose := k.purpose()
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
			"the %s cannot be decrypted with the server's secret: configure the secret with which it was encrypted on all "+
				"nodes, or empty the table %s, which invalidates all links that have been sent: %v",
			purpose, k.Table, err,
		)
	}
	if known, err = hex.DecodeString(text); err != nil {
		return nil, fmt.Errorf("the %s: %w", purpose, err)
	}
	k.Work.AfterCommit(ctx, func(context.Context) { // a failed transaction has not stored the secret
		k.mu.Lock()
		defer k.mu.Unlock()
		k.known = known
	})
	return known, nil
}
