package audit

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/realm"
)

// entries returns the entries that a query selects.
func (s *service) entries(ctx context.Context, q audit.Query) ([]audit.Entry, error) {
	rows, err := s.store.Select(ctx, q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	parts, err := s.store.Parts(ctx, q.Realm, rows)
	if err != nil {
		return nil, err
	}
	out := make([]audit.Entry, len(rows))
	for i, w := range rows {
		if out[i], err = w.entry(parts[w.Seq]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// entry returns an entry with its parts.
func (w *row) entry(parts []personalRow) (audit.Entry, error) {
	e := audit.Entry{
		ID: w.Seq, Time: time.UnixMicro(w.At).UTC(), Action: w.Action, Outcome: w.Outcome, ActorKind: w.ActorKind,
		TargetKind: w.TargetKind, Target: w.Target, Key: w.APIKey, Request: w.Request, Route: w.Route, Hash: w.Hash,
	}
	if w.ActorID != 0 {
		e.Actor = &w.ActorID
	}
	if w.SessionID != 0 {
		e.Session = &w.SessionID
	}
	var personal values
	for _, p := range parts {
		var from source
		switch p.Part {
		case partSource:
			if err := json.Unmarshal([]byte(p.Content), &from); err != nil {
				return e, err
			}
			e.IP, e.Client = from.IP, from.Client
		case partValues:
			if err := json.Unmarshal([]byte(p.Content), &personal); err != nil {
				return e, err
			}
		}
	}
	var err error
	if e.Before, err = merged(w.OldValues, personal.Old); err == nil {
		e.After, err = merged(w.NewValues, personal.New)
	}
	return e, err
}

// merged returns the JSON object of values of both kinds, or nil.
func merged(plain string, personal audit.Values) (json.RawMessage, error) {
	if len(personal) == 0 {
		if plain == "" {
			return json.RawMessage("null"), nil
		}
		return json.RawMessage(plain), nil
	}
	all := audit.Values{}
	if plain != "" {
		var kept map[string]json.RawMessage
		if err := json.Unmarshal([]byte(plain), &kept); err != nil {
			return nil, err
		}
		for name, v := range kept {
			all[name] = v
		}
	}
	maps.Copy(all, personal)
	return plainjson.Marshal(all)
}

// verified is the result of verifying a chain, which is undamaged.
type verified struct {
	Entries int64  `json:"entries"`
	From    int64  `json:"from"` // the number of the first entry
	Head    int64  `json:"head"` // the number of the last one
	Hash    string `json:"hash"`
	Erased  int64  `json:"erased"` // parts with personal data that have been erased
}

// verifyPage is how many entries are verified at a time.
const verifyPage = 1000

// verify recomputes the chain of a realm. It reads the head first, so that entries may be added meanwhile. Errors:
// BadRequest with the number of the first entry that does not fit.
func (s *service) verify(ctx context.Context, r realm.ID) (verified, error) {
	h, err := s.store.Head(ctx, r)
	if err != nil || h == nil {
		return verified{}, err
	}
	v := verified{From: h.AnchorSeq + 1, Head: h.Seq, Hash: h.Hash}
	last, hash := h.AnchorSeq, h.AnchorHash
	for last < h.Seq {
		rows, err := s.store.Following(ctx, r, last, min(verifyPage, int(h.Seq-last)))
		if err != nil {
			return v, err
		}
		if len(rows) == 0 {
			return v, broken("entry %d and all after it are missing", last+1)
		}
		parts, err := s.store.Parts(ctx, r, rows)
		if err != nil {
			return v, err
		}
		for _, w := range rows {
			if w.Seq != last+1 {
				return v, broken("entry %d is missing", last+1)
			}
			want, err := next(hash, w)
			if err != nil {
				return v, err
			}
			if want != w.Hash {
				return v, broken("entry %d was changed", w.Seq)
			}
			if err := w.check(parts[w.Seq], &v); err != nil {
				return v, err
			}
			last, hash = w.Seq, w.Hash
			v.Entries++
		}
	}
	if hash != h.Hash {
		return v, broken("the head does not fit entry %d", last)
	}
	return v, nil
}

// check compares the parts of an entry with their digests, and counts those that were erased.
func (w *row) check(parts []personalRow, v *verified) error {
	digests := map[string]string{partSource: w.SourceDigest, partValues: w.PersonalDigest}
	for _, p := range parts {
		if digests[p.Part] != p.digest() {
			return broken("the %s of entry %d were changed", p.Part, w.Seq)
		}
		delete(digests, p.Part)
	}
	for _, d := range digests {
		if d != "" {
			v.Erased++
		}
	}
	return nil
}

func broken(format string, args ...any) error {
	return errs.Bad("The audit log is damaged: "+format, args...)
}
