package audit

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Entry is an entry of the audit log, with its personal parts unless they were erased.
type Entry struct {
	ID         int64           `json:"id" doc:"The number of the entry in the organization's log."`
	Time       time.Time       `json:"time"`
	Action     Action          `json:"action"`
	Outcome    string          `json:"outcome"`    // "ok" or "refused"
	ActorKind  string          `json:"actor_kind"` // "user", "operator" or "system"
	Actor      *user.ID        `json:"actor_id"`   // null: nobody who has an account
	TargetKind Kind            `json:"target_kind"`
	Target     string          `json:"target"`
	Before     json.RawMessage `json:"before"` // an object, or null
	After      json.RawMessage `json:"after"`  // an object, or null
	IP         string          `json:"ip"`
	Client     string          `json:"client"`
	Session    *session.ID     `json:"session_id"`
	Key        string          `json:"api_key"` // the first digits of its hash
	Request    string          `json:"request"` // the ID of the request in the server's log
	Route      string          `json:"route"`
	Hash       string          `json:"hash"`
}

// Query selects entries of an organization. Zero fields select everything.
type Query struct {
	Realm        ids.Realm
	Since, Until time.Time // from, and before
	Action       string    // or a prefix of actions that ends in a dot, such as "user."
	Actor        user.ID
	TargetKind   Kind
	Target       string
	Before       int64 // only entries with a lower ID, newest first
	After        int64 // only entries with a higher ID, oldest first, unless Before is set
	Limit        int
}

// Head is the end of an organization's chain.
type Head struct {
	Realm ids.Realm `json:"realm"`
	Seq   int64     `json:"seq"`
	Hash  string    `json:"hash"`
}
