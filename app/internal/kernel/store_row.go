package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// row is a stored entry.
type row struct {
	bun.BaseModel `bun:"table:realm_events"`

	RealmID  realm.ID  `bun:"realm_id,pk"`
	Seq      event.Seq `bun:"seq,pk"`
	Type     string    `bun:"type"`
	Op       string    `bun:"op"`
	At       time.Time `bun:"at"`
	UserID   *user.ID  `bun:"user_id"` // set if only this user can receive the entry
	Aud      event.Kind
	AudID    int64   `bun:"aud_id"`
	AudUsers *string `bun:"aud_users"`
	Ref      int64
	Access   bool // whether the entry changes shared facts
	Changes  *string
	Origin   []byte
	Payload  string
	Format   int16
}

// listed is the content of the column aud_users.
type listed struct {
	Users  []user.ID `json:"users,omitempty"`
	Except []user.ID `json:"except,omitempty"`
}

// encode converts an event to a row. The commit sets its number and origin.
func encode(e event.Event, at time.Time) (row, error) {
	w := row{
		RealmID: e.Realm, Type: e.Type, Op: e.Op, At: at.UTC().Truncate(time.Microsecond),
		Aud: e.To.Kind, AudID: e.To.ID, Ref: e.Ref, Access: len(e.Changes) > 0,
		Format: writtenFormat,
	}
	payload, err := compact(e.Payload)
	if err != nil {
		return row{}, fmt.Errorf("payload of event %s/%s: %w", e.Type, e.Op, err)
	}
	w.Payload = *payload
	if u := e.To.Single(); u != 0 {
		w.UserID = &u
	}
	if len(e.To.Users) > 0 || len(e.To.Except) > 0 {
		if w.AudUsers, err = compact(listed{e.To.Users, e.To.Except}); err != nil {
			return row{}, fmt.Errorf("audience of event %s/%s: %w", e.Type, e.Op, err)
		}
	}
	if w.Access {
		if w.Changes, err = compact(e.Changes); err != nil {
			return row{}, fmt.Errorf("changes of event %s/%s: %w", e.Type, e.Op, err)
		}
	}
	return w, nil
}

// entry decodes a row. Even the node that wrote the row decodes it, so that every node sees the same values, and the
// use case shares no memory with readers.
func (w row) entry(slots directory.Slots) (event.Entry, error) {
	e := event.Entry{
		Realm: w.RealmID, Seq: w.Seq, Type: w.Type, Op: w.Op, At: w.At.UTC(), Ref: w.Ref,
		To: event.Audience{Kind: w.Aud, ID: w.AudID}, Payload: json.RawMessage(w.Payload),
	}
	if err := w.readable(); err != nil {
		return e, err
	}
	if w.AudUsers != nil {
		var l listed
		if err := json.Unmarshal([]byte(*w.AudUsers), &l); err != nil {
			return e, fmt.Errorf("audience of entry %d of realm %d: %w", w.Seq, w.RealmID, err)
		}
		e.To.Users, e.To.Except = l.Users, l.Except
	}
	var err error
	e.Changes, err = w.changes(slots)
	return e, err
}

func (w row) changes(slots directory.Slots) ([]directory.Change, error) {
	if w.Changes == nil {
		return nil, nil
	}
	var c []directory.Change
	err := json.Unmarshal([]byte(*w.Changes), &c)
	if err == nil {
		err = slots.Resolve(c)
	}
	if err != nil {
		return nil, fmt.Errorf("changes of entry %d of realm %d: %w", w.Seq, w.RealmID, err)
	}
	return c, nil
}

// compact encodes v as JSON without HTML escapes.
func compact(v any) (*string, error) {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	s := string(b)
	return &s, nil
}

// entries decodes rows.
func (s store) entries(rows []row) ([]event.Entry, error) {
	out := make([]event.Entry, len(rows))
	for i, w := range rows {
		var err error
		if out[i], err = w.entry(s.slots); err != nil {
			if newer := (*newerError)(nil); errors.As(err, &newer) {
				s.refuse(newer)
			}
			return nil, err
		}
	}
	return out, nil
}
