package files

import (
	"context"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// messagesPerCheck is the number of a file's messages that are checked in one query, newest first.
const messagesPerCheck = 500

// Find returns a file that the actor can read: the actor's own, or one that a message readable by the actor refers to.
// User 0 is a spectator. Errors: NotFound, both for missing files and for those that the actor cannot read.
func (s *Service) Find(ctx context.Context, a kit.Actor, path string) (*upload.File, error) {
	if !upload.CheckPathID(a.Realm, path) {
		return nil, upload.Missing()
	}
	f, err := s.Store.ByPath(ctx, a.Realm, path)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, upload.Missing()
	}
	readable, err := s.canRead(ctx, a, f)
	if err == nil && !readable {
		err = upload.Missing()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (s *Service) canRead(ctx context.Context, a kit.Actor, f *upload.File) (bool, error) {
	if a.User != 0 && f.Owner == a.User {
		return true, nil
	}
	for below := message.MaxID; ; {
		ids, err := s.Store.Messages(ctx, f.ID, below, messagesPerCheck)
		if err != nil || len(ids) == 0 {
			return false, err
		}
		if seen, err := s.Messages.Readable(ctx, a, ids...); err != nil || len(seen) > 0 {
			return len(seen) > 0, err
		}
		below = ids[len(ids)-1]
	}
}

// These limits bound the work per rendered message.
const (
	maxOthers     = 100 // maximum number of files of other users; links to further files are plain links
	newestPerFile = 20  // number of newest messages checked first for each file
	maxFullChecks = 5   // maximum number of files for which all messages are checked
)

// usableFiles answers message.UsableFiles. Senders can use their own files, files that they can read and, when a
// message is rendered again, the files that it already refers to.
func (s *Service) usableFiles(ctx context.Context, q message.UsableFiles) (map[string]markdown.Upload, error) {
	if q.Sender == 0 {
		return nil, nil
	}
	var paths []string
	for _, p := range q.Paths {
		if upload.CheckPathID(q.Realm, p) {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	files, err := s.Store.ByPaths(ctx, q.Realm, paths)
	if err != nil {
		return nil, err
	}
	referenced := map[upload.ID]bool{}
	if q.Message != 0 {
		refs, err := s.Store.RefsOf(ctx, []message.ID{q.Message})
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			referenced[r.File] = true
		}
	}
	usable := map[string]markdown.Upload{}
	var others []upload.File
	for i := range files {
		if f := &files[i]; f.Owner == q.Sender || referenced[f.ID] {
			usable[f.PathID] = markdownUpload(f)
		} else if len(others) < maxOthers {
			others = append(others, *f)
		}
	}
	readable, err := s.readableFiles(ctx, user.Actor{Realm: q.Realm, User: q.Sender}, others)
	for i := range readable {
		usable[readable[i].PathID] = markdownUpload(&readable[i])
	}
	return usable, err
}

// readableFiles returns the files that a user can read through recent messages or, for a few files, through any
// message.
func (s *Service) readableFiles(ctx context.Context, as user.Actor, files []upload.File) ([]upload.File, error) {
	if len(files) == 0 {
		return nil, nil
	}
	refs, err := s.Store.MessagesOf(ctx, idsOf(files), newestPerFile)
	if err != nil {
		return nil, err
	}
	var ids []message.ID
	for _, more := range refs {
		ids = append(ids, more...)
	}
	found, err := s.Messages.Readable(ctx, as, ids...)
	if err != nil {
		return nil, err
	}
	seen := make(map[message.ID]bool, len(found))
	for _, id := range found {
		seen[id] = true
	}
	var out []upload.File
	fullChecks := 0
	for i := range files {
		f, readable := &files[i], false
		for _, id := range refs[f.ID] {
			readable = readable || seen[id]
		}
		if !readable && len(refs[f.ID]) == newestPerFile && fullChecks < maxFullChecks {
			fullChecks++
			if readable, err = s.canRead(ctx, as, f); err != nil {
				return nil, err
			}
		}
		if readable {
			out = append(out, *f)
		}
	}
	return out, nil
}

// markdownUpload returns the properties of a file that affect rendering.
func markdownUpload(f *upload.File) markdown.Upload {
	u := markdown.Upload{ContentType: f.ContentType}
	if i := f.Image; i.Width > 0 && i.Thumbnail != upload.ThumbnailFailed {
		u.Width, u.Height, u.Animated, u.Transcoded = i.Width, i.Height, i.Animated, i.Transcoded
		u.Thumbnail = i.Thumbnail == upload.ThumbnailReady
	}
	return u
}

// downloadCounter counts today's downloads by spectators on this node, by file.
type downloadCounter struct {
	mu     sync.Mutex
	day    time.Time
	counts map[upload.ID]int
}

// These limits apply to downloads without login.
const (
	maxAnonymous = 1000    // downloads per file and day
	maxCounted   = 100_000 // files with a counter; when there are more, all counters are reset
)

// count counts one download. Errors: RateLimit.
func (c *downloadCounter) count(id upload.ID, now time.Time) error {
	day := now.Truncate(24 * time.Hour)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !day.Equal(c.day) || len(c.counts) >= maxCounted {
		c.day, c.counts = day, map[upload.ID]int{}
	}
	if c.counts[id] >= maxAnonymous {
		left := day.Add(24 * time.Hour).Sub(now)
		return errs.New(errs.RateLimit, "API usage exceeded rate limit").With("retry-after", left.Seconds())
	}
	c.counts[id]++
	return nil
}
