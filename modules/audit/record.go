package audit

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The outcomes of actions.
const (
	outcomeOK      = "ok"
	outcomeRefused = "refused"
)

// The kinds of actors.
const (
	byUser     = "user"
	byOperator = "operator"
	bySystem   = "system"
)

// The parts of entries that are not in the chain.
const (
	partSource = "source"
	partValues = "values"
)

// keyDigits is how many digits of an API key's hash identify it in the log.
const keyDigits = 12

// committing writes the entries of a transaction.
func (s *service) committing(ctx context.Context, c *audit.Committing) error {
	facts := append(derive(c), c.Facts...)
	slices.SortStableFunc(facts, func(a, b audit.Fact) int { return cmp.Compare(a.Realm, b.Realm) })
	for len(facts) > 0 {
		r := facts[0].Realm
		n := slices.IndexFunc(facts, func(f audit.Fact) bool { return f.Realm != r })
		if n < 0 {
			n = len(facts)
		}
		if err := s.write(ctx, r, c.By, facts[:n]); err != nil {
			return err
		}
		facts = facts[n:]
	}
	return nil
}

func (s *service) write(ctx context.Context, r realm.ID, by user.Actor, facts []audit.Fact) error {
	rows, parts := make([]*row, len(facts)), make([]*personalRow, 0, 2*len(facts))
	h, err := s.store.Reserve(ctx, r, len(facts))
	if err != nil {
		return err
	}
	at := s.Clock.Now().UnixMicro()
	for i, f := range facts {
		if f.By == nil {
			f.By = &by
		}
		w, p, err := encode(f)
		if err != nil {
			return err
		}
		w.At, w.Seq = at, h.Seq-int64(len(facts)-1-i)
		if w.Hash, err = next(h.Hash, w); err != nil {
			return err
		}
		h.Hash, rows[i] = w.Hash, w
		for _, one := range p {
			one.Seq = w.Seq
			parts = append(parts, &one)
		}
	}
	for _, f := range s.sinks {
		s.Work.AfterCommit(ctx, f.backlog.Added)
	}
	return s.store.Add(ctx, rows, parts)
}

// source is the content of the part "source".
type source struct {
	IP     string `json:"ip"`
	Client string `json:"client"`
}

// values is the content of the part "values".
type values struct {
	Old audit.Values `json:"old,omitempty"`
	New audit.Values `json:"new,omitempty"`
}

// encode returns the row of a fact without its place in the chain, and its parts.
func encode(f audit.Fact) (*row, []personalRow, error) {
	by := f.By
	w := &row{
		RealmID: f.Realm, Action: f.Action, Outcome: outcomeOK, ActorKind: actorKind(*by), ActorID: by.User,
		TargetKind: f.Target.Kind, Target: f.Target.ID, SessionID: by.Session, Request: by.Request, Route: by.Route,
		APIKey: string(by.Key[:min(len(by.Key), keyDigits)]),
	}
	if f.Refused {
		w.Outcome = outcomeRefused
	}
	var parts []personalRow
	if by.From != "" || by.Client != "" {
		text, err := plainjson.Marshal(source{by.From, by.Client})
		if err != nil {
			return nil, nil, err
		}
		of := by.User
		if of == 0 { // such as a login, which may be the user's
			of = about(f)
		}
		p, digest := salted(personalRow{RealmID: f.Realm, Part: partSource, UserID: of, Content: string(text)})
		parts, w.SourceDigest = append(parts, p), digest
	}
	old, oldPersonal := split(f.Old)
	now, newPersonal := split(f.New)
	if oldPersonal != nil || newPersonal != nil {
		text, err := plainjson.Marshal(values{oldPersonal, newPersonal})
		if err != nil {
			return nil, nil, err
		}
		p, digest := salted(personalRow{RealmID: f.Realm, Part: partValues, UserID: about(f), Content: string(text)})
		parts, w.PersonalDigest = append(parts, p), digest
	}
	var err error
	if w.OldValues, err = object(old); err == nil {
		w.NewValues, err = object(now)
	}
	return w, parts, err
}

func actorKind(a user.Actor) string {
	switch {
	case a.User != 0:
		return byUser
	case a.System:
		return byOperator
	case a.Request != "":
		return byUser // somebody without a login
	}
	return bySystem
}

// split separates the personal values.
func split(all audit.Values) (plain, personal audit.Values) {
	for name, v := range all {
		to := &plain
		if audit.Personal(name) {
			to = &personal
		}
		if *to == nil {
			*to = audit.Values{}
		}
		(*to)[name] = v
	}
	return plain, personal
}

func object(v audit.Values) (string, error) {
	if v == nil {
		return "", nil
	}
	b, err := plainjson.Marshal(v)
	return string(b), err
}
