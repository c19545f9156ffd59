// Package ports holds the interfaces that cross a module or a technology. The comment is the contract. kernel.go: what
// is always there; features.go: what one module gives to another; arrows point down only.
package ports

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Clock tells the time, in UTC. Read it once per use case.
type Clock interface{ Now() time.Time }

// Site tells how people reach the server.
type Site interface {
	// URL is http.url of the config, without a slash at its end; "" where that is not set. Unlike what a request says of
	// itself it can be trusted: links in mails begin with it.
	URL() string
}

// UnitOfWork runs changes. One change is one transaction, with its log entries in it, and nothing remote inside.
type UnitOfWork interface {
	// Do runs fn in a transaction, or in the one that ctx carries already. Changes of one realm's shared facts made
	// through Do follow each other; the view that fn sees (Directory.View) is exact: if it was not, fn is run again, so fn
	// must be repeatable. When Do returns nil the change is durable and this node's view has it. Errors: what fn returns;
	// Unavailable when the database can't be reached; Unauthorized when the account or the key of the Asker has ended.
	Do(ctx context.Context, fn func(context.Context) error) error
	// AfterCommit runs fn once the transaction has committed; it may be lost. Outside of Do it runs at once.
	AfterCommit(ctx context.Context, fn func(context.Context))
	// Snapshot runs fn so that all it reads, rows and view, is of one position of the realm's log.
	Snapshot(ctx context.Context, r realm.ID, fn func(context.Context) error) error
}

// EventLog appends to a realm's log. Only inside Do or a Writer's batch.
type EventLog interface {
	// Lock takes the realm's place in order, held until the end of the transaction, and gives the position of the last
	// entry: what Append writes next gets the numbers after it. Take it after all rows that others may hold; afterwards
	// wait for nothing. Message ids are drawn after it.
	Lock(ctx context.Context, r realm.ID) (event.Seq, error)
	// Append writes the entries, in order, as the last thing of the change. It locks if Lock was not called. Whoever
	// changes shared facts has asked for the view, or locked the realm, before: an error otherwise.
	Append(ctx context.Context, events ...event.Event) error
}

// LogReader reads a realm's log.
type LogReader interface {
	// After gives the entries with a position > seq, oldest first, at most limit, and the position that has been read up
	// to, which is the head when nothing was cut off. Errors: BadEventQueue if entries after seq have been trimmed.
	After(ctx context.Context, r realm.ID, seq event.Seq, limit int) ([]event.Entry, event.Seq, error)
	// Epoch counts how often the log was set back because the database was restored. Positions of another epoch mean
	// nothing. Errors: NotFound, Unavailable.
	Epoch(ctx context.Context, r realm.ID) (int64, error)
}

// Sealer encrypts with the server's secret what the server must be able to give back, and what a copy of the database
// must not tell: the API keys of bots, whose owners may read them. What need only be recognized is hashed instead.
type Sealer interface {
	// Seal encrypts text for a purpose that names the very thing ("API key of 7"). Errors: the secret can't be read or
	// made.
	Seal(purpose, text string) (string, error)
	// Open gives what was sealed for that purpose. Errors: NotFound if it was sealed for another, with another secret, or
	// has been changed; the secret can't be read.
	Open(purpose, sealed string) (string, error)
}

// Directory gives the shared facts of a realm.
type Directory interface {
	// View gives the newest version; inside Do the one that the commit is checked against, inside Snapshot the one that
	// belongs to the rows. It is never older than a second. Errors: NotFound for an unknown realm, Unavailable.
	View(ctx context.Context, r realm.ID) (*directory.View, error)
	// Verified gives a version that was the newest at some moment after the call. The edge asks for it before it refuses.
	Verified(ctx context.Context, r realm.ID) (*directory.View, error)
	// As gives the views as of each of the entries, which are consecutive and end at or before the newest version.
	As(ctx context.Context, r realm.ID, entries []event.Entry) ([]*directory.View, error)
}

// Writer commits small changes (sends, flags, reactions) of a realm in shared transactions: what waits together is
// written together, in order of arrival, and each is answered after the commit.
type Writer interface {
	// Submit waits until the intent is durable, or refused. If ctx ends before the batch began, it is dropped. Errors:
	// what the kind's Write set; Unavailable when too much waits.
	Submit(ctx context.Context, r realm.ID, by user.ID, in *Intent) error
}

// Intent is one small change.
type Intent struct {
	Kind  *IntentKind
	Value any   // the kind's own; Write leaves its result in it
	Size  int   // bytes, roughly
	Alone bool  // large: gets a transaction of its own
	Err   error // set by Write to refuse this one; it must then have written nothing for it
}

// IntentKind is how intents of one kind are written. Declare one per kind, as a value of the service.
type IntentKind struct {
	Name  string
	Order int // kinds with a smaller one are written first within a batch
	Max   int // at most so many in a batch; 0: as many as fit
	// Write writes all of them with few statements, under the realm's lock, with the exact view, and gives their events in
	// order. It may be run again, with fewer. An error fails all that were given.
	Write func(ctx context.Context, v *directory.View, last event.Seq, in []*Intent) ([]event.Event, error)
}

// Hooks runs moments: structs of the domain that other modules attach to with kit.On.
type Hooks interface {
	// Run calls the hooks of a moment, a pointer to its struct, in order, and stops at the first error.
	Run(ctx context.Context, moment any) error
}

// Renderer turns Markdown into HTML. It does no I/O; v is nil where no realm is known.
type Renderer interface {
	// Render errors: BadRequest "Unable to render message" when the result would be too large.
	Render(ctx context.Context, v *directory.View, s markdown.Source) (markdown.Output, error)
	// TopicLinks finds what in a topic's name leads elsewhere, in the order of the name; never nil.
	TopicLinks(v *directory.View, topic string) []markdown.TopicLink
	// Text returns the text of rendered content for notifications: at most limit code points, and … where there are
	// more. Emoji are characters, images their descriptions, formulas TeX; lines of quotes begin with >, and a quote
	// beside other text is […]. The content of spoilers is left out.
	Text(rendered string, limit int) string
}

// Emoji knows the Unicode emoji by name and code. A code is the code points in lower-case hex, at least four digits
// each, joined by dashes, without the variation selector.
type Emoji interface {
	// Code gives the code of a name; an emoji may have several names.
	Code(name string) (code string, ok bool)
	// Name gives the canonical name of a code.
	Name(code string) (name string, ok bool)
}
