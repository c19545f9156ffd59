package ports

import (
	"context"
	"io"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// MessageImport writes messages of the past, to which the sender's permissions, limits and notifications do not apply.
// messages → imports. It is a port because it stores messages.
type MessageImport interface {
	// Begin keeps what people have not read so far as unread. Call it before messages are written to an organization
	// that was in use. Not inside Do.
	Begin(ctx context.Context, r realm.ID) error
	// Write writes messages, which must be in the order of their times, in one transaction, and sets their IDs. Modules
	// revise their contents first (message.Revising); a message that they refuse is not written. then runs in the
	// transaction, and again after a conflict, unless all messages are refused. Not inside Do.
	Write(ctx context.Context, r realm.ID, all []*importing.Written, then func(context.Context) error) error
	// Mark adds to users' states of messages that were written. Inside Do.
	Mark(ctx context.Context, r realm.ID, all []importing.Marked) error
	// Receive replaces the times in which users have received the messages of channels with protected history. Messages
	// must have been written before. Inside Do.
	Receive(ctx context.Context, r realm.ID, all []importing.Membership) error
	// Finish stores what follows from all messages: the first of each channel, and that everything that is not marked as
	// unread was read. Inside Do. Call LogReset.Reset in the same transaction.
	Finish(ctx context.Context, r realm.ID) error
}

// FileImport stores files of the past, without limits. uploads → imports. It is a port because it stores files.
type FileImport interface {
	// Import stores a file and returns its path ID. It is kept without a message for as long as the import may take.
	// then runs in the transaction that creates the file. Not inside Do.
	Import(ctx context.Context, r realm.ID, owner user.ID, name, contentType string, created time.Time, body io.Reader,
		then func(ctx context.Context, pathID string) error) error
}

// LogReset makes all nodes read the shared facts of a realm again, after a change that is not in its log. It isolates
// the views of the kernel.
type LogReset interface {
	// Reset ends the event queues of the realm's clients, which then begin anew. Inside Do.
	Reset(ctx context.Context, r realm.ID) error
}

// Downloads is implemented by Webhooks that can fetch large files. It isolates calls to untrusted servers.
type Downloads interface {
	// Download begins a download and returns the reply, whatever its status; it does not follow redirects. The size of
	// the content is not limited, but reading it fails if nothing arrives for a while. Only addresses that the
	// configuration allows are reached. Not inside Do. Errors: as those of Webhooks.Post.
	Download(ctx context.Context, d importing.DownloadRequest) (*importing.DownloadReply, error)
}
