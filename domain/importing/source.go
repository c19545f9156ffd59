package importing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Format is a kind of archive that can be imported.
type Format struct {
	Name string // of the program, as in "stoa import slack"; stored with the keys of its records
	Doc  string // one sentence: the archive that it reads
	// Threads: the program has threads instead of topics, and an archive may contain several workspaces. Options about
	// these apply.
	Threads bool
	// Rows: the archive contains rows of this server's tables, and with them the whole organization.
	Rows bool
	// Downloads: files can be downloaded from the program's servers (Input.Fetch).
	Downloads bool
	Open      func(ctx context.Context, in Input) (Source, error)
}

// Input is what a source reads from, and reports to.
type Input struct {
	Archive Archive
	Options Options
	Report  *Report
	Now     time.Time
	Fetch   Fetcher // nil: nothing is downloaded
	// EmojiCode returns the code of a Unicode emoji by one of its names.
	EmojiCode func(name string) (string, bool)
}

// Fetcher downloads from the hosts of the source's program, and knows the token for it, which sources do not see.
type Fetcher interface {
	// Get returns the content at a URL and its media type. It may be called several times at once. Errors: fs.ErrNotExist
	// if it is gone, UnusableError if the token is not accepted, DownloadError if only this content cannot be had.
	Get(ctx context.Context, url string) (content io.ReadCloser, mediaType string, err error)
}

// Archive is an archive that was checked: its names are relative paths with slashes, without dots and duplicates, and
// none of its files is larger than it claims.
type Archive interface {
	// Names returns the names of all files, sorted.
	Names() []string
	// Size returns the size of a file in bytes, or false if there is none.
	Size(name string) (int64, bool)
	// Open returns the content of a file. Errors: fs.ErrNotExist.
	Open(name string) (io.ReadCloser, error)
}

// Options are the flags of the command that concern sources.
type Options struct {
	Workspace   string // which of several workspaces, teams or organizations of the archive
	EmailDomain string // for people without an address; "": import.invalid
	Since       time.Time
	Until       time.Time
	Channels    []string // names; nil: all
	NoDirect    bool
	NoFiles     bool
	NoPins      bool
	Threads     string // "topics" or "inline"
	MainTopic   string // "": the source's default
	Split       string // "none", "year" or "month"
}

// Within reports whether a message of a time is in the scope of the import.
func (o Options) Within(at time.Time) bool {
	return (o.Since.IsZero() || !at.Before(o.Since)) && (o.Until.IsZero() || at.Before(o.Until))
}

// Source is an opened archive. See the package comment.
type Source interface {
	// Scan reads everything but files and messages.
	Scan(ctx context.Context) (*Directory, error)
	// Files calls fn for each uploaded file.
	Files(ctx context.Context, fn func(*File) error) error
	// Messages passes on all messages, and what belongs to them.
	Messages(ctx context.Context, to Sink) error
	// Open returns the content of a file that Scan or Files has named. Errors: fs.ErrNotExist, DownloadError. Files that
	// Remote names may be opened several at once, also while Files runs.
	Open(ctx context.Context, f *File) (io.ReadCloser, error)
}

// Remote reports whether the content of a file is downloaded.
func Remote(f *File) bool { return strings.HasPrefix(f.Path, "https://") }

// Sink receives messages. States may precede or follow the messages that they concern.
type Sink interface {
	Message(m *Message) error
	State(s *State) error
}

// UnusableError reports that an archive cannot be imported at all.
type UnusableError struct{ text string }

func (e *UnusableError) Error() string { return e.text }

// Unusable returns an UnusableError. The text says what is wrong and which archive is needed.
func Unusable(format string, args ...any) error { return &UnusableError{fmt.Sprintf(format, args...)} }

// IsUnusable reports whether an archive cannot be imported at all.
func IsUnusable(err error) bool {
	var e *UnusableError
	return errors.As(err, &e)
}
