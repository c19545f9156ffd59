package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stoachat/stoa/domain/plainjson"
)

// next returns the hash of an entry that follows one with the hash former. It covers every column of the row.
func next(former string, w *row) (string, error) {
	text, err := plainjson.Marshal([]any{
		former, w.RealmID, w.Seq, w.At, w.Action, w.Outcome, w.ActorKind, w.ActorID, w.TargetKind, w.Target,
		w.OldValues, w.NewValues, w.SessionID, w.APIKey, w.Request, w.Route, w.SourceDigest, w.PersonalDigest,
	})
	return hexDigest(text), err
}

// salted returns a part with a new salt, and its digest.
func salted(p personalRow) (personalRow, string) {
	p.Salt = rand.Text()
	return p, p.digest()
}

func (p *personalRow) digest() string { return hexDigest([]byte(p.Salt + "\n" + p.Content)) }

func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
