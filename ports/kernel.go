// Package ports declares the interfaces through which modules use the kernel (kernel.go), each other, and adapters.
// Those of the kernel are always available. The comments are the contract. "accounts → HTTP server" reads: implemented
// by the module accounts, used by the HTTP server; such arrows never form a cycle. "Inside Do" and "not inside Do"
// refer to UnitOfWork.Do.
package ports

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Clock returns the current time in UTC. Read it once per use case. It isolates the system clock.
type Clock interface{ Now() time.Time }

// Node is this process among those that share the database. Work that only one of them may do at a time is leased: a
// column of the row names the node that works on it, "" if none does. Whatever a node holds is free some seconds after
// its death; bunstore.Free is the condition. Modules declare such columns in Parts.Leases. It isolates how nodes notice
// that one has died.
type Node interface {
	// Hold returns the ID of this node for the column, and a context for the work, which ends when this node can no
	// longer be sure that others consider it alive. Call done when the leases have been released. A statement that
	// ends the work must change nothing if another node has taken it over.
	Hold(ctx context.Context) (held context.Context, holder string, done context.CancelFunc)
}

// Site describes how clients reach the server. It isolates the configuration of the server.
type Site interface {
	// URL returns http.url of the config without a trailing slash, or "" if unset. Unlike anything derived from a
	// request it can be trusted, so links in emails begin with it.
	URL() string
}

// UnitOfWork runs changes. A change is one transaction, which includes its log entries and makes no remote calls. It
// isolates the transactions of the kernel.
type UnitOfWork interface {
	// Do runs fn in a transaction, or in the one that ctx already carries. Changes to one realm's shared facts through
	// Do are serialized; the view that fn sees (Directory.View) is exact: if it proves stale at commit, fn runs again,
	// so fn must be repeatable. When Do returns nil, the change is durable and part of this node's view. Errors: those
	// of fn; Unavailable when the database can't be reached; Unauthorized if the account or key of the caller
	// (WithCaller) is no longer valid.
	Do(ctx context.Context, fn func(context.Context) error) error
	// AfterCommit runs fn after the transaction has committed, or immediately outside of Do. A crash may lose the
	// call.
	AfterCommit(ctx context.Context, fn func(context.Context))
	// Snapshot runs fn so that all rows and the view that it reads belong to the same position of the realm's log.
	Snapshot(ctx context.Context, r realm.ID, fn func(context.Context) error) error
}

// EventLog appends to a realm's log. Only inside Do or a Writer's batch. It isolates the log of the kernel.
type EventLog interface {
	// Lock takes the realm's lock until the end of the transaction and returns the position of the last log entry:
	// Append numbers its entries from the next one. To avoid deadlocks, take all row locks that others may hold before
	// it, and wait for nothing afterwards. Allocate message IDs after it.
	Lock(ctx context.Context, r realm.ID) (event.Seq, error)
	// Append writes the entries, in order, as the last step of the change. It takes the lock unless Lock was called.
	// Entries that change shared facts require that the change has read the view or taken the lock before; otherwise
	// Append fails.
	Append(ctx context.Context, events ...event.Event) error
}

// LogReader reads a realm's log. It isolates the log of the kernel.
type LogReader interface {
	// After returns the entries after position seq, oldest first, at most limit, and the position read up to, which
	// is the head unless the limit was reached. Errors: BadEventQueue if entries after seq have been trimmed.
	After(ctx context.Context, r realm.ID, seq event.Seq, limit int) ([]event.Entry, event.Seq, error)
	// Epoch returns how many times the log was set back because the database was restored. Positions of different
	// epochs are not comparable. Errors: NotFound, Unavailable.
	Epoch(ctx context.Context, r realm.ID) (int64, error)
}

// Sealer encrypts, with the server's secret, values that the server must be able to return but that a copy of the
// database must not reveal: the API keys of bots, which their owners can read. Values that only have to be recognized
// are hashed instead. It isolates the cipher and where the secret is kept.
type Sealer interface {
	// Seal encrypts text for a purpose that names the exact object, such as "API key of 7". Errors: the secret can't
	// be read or created.
	Seal(purpose, text string) (string, error)
	// Open decrypts what was sealed for the same purpose. Errors: NotFound if it was sealed for another purpose or
	// with another secret, or was modified; the secret can't be read.
	Open(purpose, sealed string) (string, error)
}

// Directory provides the shared facts of a realm. It isolates the views of the kernel.
type Directory interface {
	// View returns the newest version; inside Do the one that the commit is checked against, inside Snapshot the one
	// that belongs to the rows. It is at most a second old. Errors: NotFound for an unknown realm, Unavailable.
	View(ctx context.Context, r realm.ID) (*directory.View, error)
	// Verified returns a version that was the newest at some point after the call began. The HTTP server uses it before it
	// refuses a request.
	Verified(ctx context.Context, r realm.ID) (*directory.View, error)
	// As returns the view after each of the entries, which must be consecutive and not newer than the newest version.
	As(ctx context.Context, r realm.ID, entries []event.Entry) ([]*directory.View, error)
}

// Writer commits small changes (sends, flags, reactions) of a realm in shared transactions: intents that wait at the
// same time are written together in order of arrival, and Submit returns after the commit. It isolates the batches of
// the kernel.
type Writer interface {
	// Submit waits until the intent is durable or refused. If ctx ends before its batch begins, the intent is dropped.
	// Errors: the intent's Err, set by the kind's Write; Unavailable when too many intents wait.
	Submit(ctx context.Context, r realm.ID, by user.ID, in *Intent) error
}

// Intent is one small change.
type Intent struct {
	Kind  *IntentKind
	Value any   // input of the kind's Write, which stores its result in it
	Size  int   // approximate bytes
	OwnTx bool  // large: gets its own transaction
	Err   error // set by Write to refuse this intent, after writing nothing for it
}

// IntentKind defines how intents of one kind are written. Declare one value per kind in the service.
type IntentKind struct {
	Name  string
	Order int // within a batch, kinds with a smaller order are written first
	Max   int // maximum number of intents per batch; 0: no limit
	// Write writes all given intents with few statements, under the realm's lock and with the exact view, and returns
	// their events in order. It may run again with fewer intents. An error fails all of them.
	Write func(ctx context.Context, v *directory.View, last event.Seq, in []*Intent) ([]event.Event, error)
}

// Audit records facts in the audit log that changes of shared facts do not contain. It isolates the module that keeps
// the log, without which Record does nothing.
type Audit interface {
	// Record records facts in the same transaction as the change that ctx carries, or else in one of their own. Errors:
	// those of UnitOfWork.
	Record(ctx context.Context, facts ...audit.Fact) error
}

// Hooks runs hook events: domain structs that other modules handle with kit.On. It isolates the modules that handle
// hook events from those that run them.
type Hooks interface {
	// Run calls the handlers of a hook event, given as a pointer to its struct, in order, and stops at the first
	// error.
	Run(ctx context.Context, hookEvent any) error
}

// Renderer turns Markdown into HTML. It does no I/O; v is nil if there is no realm. It isolates the Markdown library.
type Renderer interface {
	// Render renders a message. Errors: BadRequest "Unable to render message" if the result would be too large.
	Render(ctx context.Context, v *directory.View, s markdown.Source) (markdown.Output, error)
	// TopicLinks finds the links in a topic name, in order of appearance; never nil.
	TopicLinks(v *directory.View, topic string) []markdown.TopicLink
	// Text returns rendered content as plain text for notifications. Emoji become characters, pictures their
	// descriptions, times the reader's local ones, and formulas TeX; lines of quotes begin with >. The content of
	// spoilers is left out.
	Text(rendered string, r markdown.Reader) string
	// Mail returns rendered content as plain text and as HTML for an email. It differs from Text in that links have
	// their addresses, which are absolute, and in that blocks are separated.
	Mail(rendered string, r markdown.Reader) (text, html string)
}

// Emoji looks up Unicode emoji by name and code. A code consists of the code points in lower-case hex, at least four
// digits each, joined by dashes, without the variation selector. It isolates the data of the Unicode emoji.
type Emoji interface {
	// Code returns the code of a name; an emoji may have several names.
	Code(name string) (code string, ok bool)
	// Name returns the canonical name of a code.
	Name(code string) (name string, ok bool)
}
