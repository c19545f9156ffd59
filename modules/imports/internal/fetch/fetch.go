// Package fetch downloads the files that archives of Slack refer to. The addresses come from the archive and the
// answers from the network, so that neither is trusted: only Slack's own hosts are asked, over HTTPS, redirects end
// there, and size, time and attempts are limited. Tokens are sent to the hosts that need them, and appear in no error.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/ports"
)

const (
	maxTries     = 5
	maxRedirects = 3
	firstPause   = time.Second
	maxPause     = 2 * time.Minute
	maxTime      = 30 * time.Minute // for an attempt
)

// Client downloads to temporary files.
type Client struct {
	Remote   ports.Downloads
	Dir      string // for temporary files
	Token    string // "": none
	MaxBytes int64  // of a file
	// Wait waits; nil: as long as it is told.
	Wait func(ctx context.Context, d time.Duration) error
}

var _ importing.Fetcher = (*Client)(nil)

// Get implements importing.Fetcher. Errors also: *importing.DownloadError.
func (c *Client) Get(ctx context.Context, address string) (io.ReadCloser, string, error) {
	f, err := os.CreateTemp(c.Dir, "download-*")
	if err != nil {
		return nil, "", err
	}
	d := &download{Client: c, file: &temporary{f}, from: address}
	if err := d.run(ctx); err != nil {
		return nil, "", errors.Join(err, d.file.Close())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, "", errors.Join(err, d.file.Close())
	}
	return d.file, d.mediaType, nil
}

// temporary is a file that exists until it is closed.
type temporary struct{ *os.File }

func (t *temporary) Close() error { return errors.Join(t.File.Close(), os.Remove(t.Name())) }

// download is a file on its way.
type download struct {
	*Client
	file      *temporary
	from      string
	size      int64 // bytes that have arrived
	validator string
	mediaType string
	redirects int
}

// run tries until the file has arrived, and continues after what has arrived already.
func (d *download) run(ctx context.Context) error {
	pause := firstPause
	for try := 1; ; try++ {
		wait, err := d.try(ctx)
		if err == nil || wait < 0 {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if try == maxTries {
			return &importing.DownloadError{Reason: importing.NotAnswered, Cause: err}
		}
		if wait > maxPause {
			return &importing.DownloadError{Reason: importing.NotAnswered, Cause: err}
		}
		if err := d.wait(ctx, max(wait, pause)); err != nil {
			return err
		}
		pause *= 2
	}
}

func (d *download) wait(ctx context.Context, pause time.Duration) error {
	if d.Wait != nil {
		return d.Wait(ctx, pause)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// final marks an error after which no other attempt helps.
const final = time.Duration(-1)

func refused(reason string, format string, args ...any) error {
	return &importing.DownloadError{Reason: reason, Cause: fmt.Errorf(format, args...)}
}

// try makes an attempt. If another one may help, it returns the minimum time to wait; otherwise final.
func (d *download) try(ctx context.Context) (time.Duration, error) {
	within, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	token, err := d.check(d.from)
	if err != nil {
		return final, err
	}
	reply, err := d.Remote.Download(within, importing.DownloadRequest{
		URL: d.from, Token: token, Offset: d.size, Validator: d.validator,
	})
	if errs.Is(err, errs.BadRequest) {
		return final, &importing.DownloadError{Reason: importing.ForeignHost, Cause: err}
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = reply.Content.Close() }()
	switch s := reply.Status; {
	case s == http.StatusOK || s == http.StatusPartialContent:
		return d.receive(reply)
	case s == http.StatusRequestedRangeNotSatisfiable && d.size > 0:
		return 0, errors.Join(errors.New("the file has changed"), d.restart())
	case s >= 300 && s < 400 && reply.Location != "":
		return d.redirect(ctx, reply.Location)
	case s == http.StatusUnauthorized:
		return final, loggedOut()
	case s == http.StatusNotFound || s == http.StatusGone:
		return final, fmt.Errorf("%w: status %d", fs.ErrNotExist, s)
	case s == http.StatusTooManyRequests || s >= 500:
		return reply.RetryAfter, fmt.Errorf("status %d", s)
	default:
		return final, refused(importing.NotAnswered, "status %d", s)
	}
}

// redirect goes on at another address of Slack. Those to its pages mean that the token is not accepted.
func (d *download) redirect(ctx context.Context, to string) (time.Duration, error) {
	if _, err := d.check(to); err != nil {
		if u, failed := url.Parse(to); failed == nil && u.Scheme == "https" && u.Hostname() != "files.slack.com" &&
			(u.Hostname() == "slack.com" || strings.HasSuffix(u.Hostname(), ".slack.com")) {
			return final, loggedOut()
		}
		return final, err
	}
	if d.redirects++; d.redirects > maxRedirects {
		return final, refused(importing.NotAnswered, "too many redirects")
	}
	d.from = to
	return d.try(ctx)
}

func loggedOut() error {
	return importing.Unusable("Slack answers with a page to log in instead of a file: the token of the export or the " +
		"one in --token-file is not valid (any more)")
}

// receive appends the content of a reply to the file.
func (d *download) receive(reply *importing.DownloadReply) (time.Duration, error) {
	if reply.Start != d.size || reply.Status == http.StatusOK {
		if err := d.restart(); err != nil {
			return final, err
		}
		if reply.Start != 0 {
			return 0, errors.New("the server sends another part of the file")
		}
	}
	d.mediaType, d.validator = reply.MediaType, reply.Validator
	n, err := io.Copy(d.file, io.LimitReader(reply.Content, d.MaxBytes-d.size+1))
	d.size += n
	if d.size > d.MaxBytes {
		return final, &importing.DownloadError{Reason: importing.TooLarge}
	}
	var writing *fs.PathError
	if errors.As(err, &writing) {
		return final, err
	}
	return 0, err
}

func (d *download) restart() error {
	d.size, d.validator = 0, ""
	_, err := d.file.Seek(0, io.SeekStart)
	return errors.Join(err, d.file.Truncate(0))
}

// check returns the token for an address, or an error if nothing is downloaded from it.
func (d *download) check(address string) (token string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" && u.Port() != "443" {
		return "", &importing.DownloadError{Reason: importing.ForeignHost}
	}
	switch host := u.Hostname(); {
	case host == "slack.com" && strings.HasPrefix(u.Path, "/api/"):
		if d.Token == "" {
			return "", errors.New("this needs a token (--token-file)")
		}
		return d.Token, nil
	case host == "files.slack.com":
		if u.Query().Has("t") {
			return "", nil
		}
		return d.Token, nil
	case strings.HasSuffix(host, ".slack-edge.com"):
		return "", nil
	}
	return "", &importing.DownloadError{Reason: importing.ForeignHost}
}
