package importing

import (
	"io"
	"time"
)

// DownloadRequest asks another server for a file, or for what follows of it.
type DownloadRequest struct {
	URL       string
	Token     string // sent as a bearer token; "": none
	Offset    int64  // bytes that are there already
	Validator string // of the reply that began with those bytes; "": any version will do
}

// DownloadReply is the answer of another server. Everything in it is untrusted.
type DownloadReply struct {
	Status     int
	MediaType  string
	Location   string        // of a redirect, as an absolute URL
	Validator  string        // what identifies this version of the file; "": nothing does
	Start      int64         // of the content in the file, in bytes
	RetryAfter time.Duration // 0: the server does not say
	Content    io.ReadCloser // must be closed
}

// DownloadError reports that a file could not be downloaded, while others may be.
type DownloadError struct {
	Reason string // a reason for the report
	Cause  error
}

func (e *DownloadError) Error() string {
	if e.Cause == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Cause.Error()
}

func (e *DownloadError) Unwrap() error { return e.Cause }
