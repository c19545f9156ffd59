// Package slack reads the exports of Slack: ZIP files or folders with JSON, also those of an Enterprise Grid, and those
// that other programs write with files in them.
//
// An export is read several times, day by day. What is kept is people, channels and threads: a reply can be in a later
// file than its thread, and a thread's topic is named after its first message, so that all threads are known before any
// message is passed on.
package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/importing"
)

// Format reads exports of Slack.
var Format = importing.Format{
	Name: "slack", Doc: "An export of a workspace of Slack (.zip).", Threads: true,
	Downloads: true, Open: open,
}

const wanted = "the JSON export of the workspace, which its owners download (in Slack: Workspace settings, " +
	"Import/Export Data, Export; see slack.com/help/articles/201658943)"

// source is an opened export.
type source struct {
	importing.Input
	layout
	people        map[string]*person
	order         []string          // the IDs of people, as listed
	bots          map[string]string // the people that apps are, by the ID of the app's bot
	appNames      map[string]string // by the ID of the app's bot
	conversations []*conversation
	byID          map[string]*conversation
	emoji         map[string]customEmoji
	token         atomic.Pointer[string] // that of the export, for downloads
	fieldNames    map[string]string      // of profile fields, by their IDs
	scanned       bool
}

var _ importing.Source = (*source)(nil)

func open(ctx context.Context, in importing.Input) (importing.Source, error) {
	s := &source{
		Input: in, people: map[string]*person{}, bots: map[string]string{}, appNames: map[string]string{},
		byID: map[string]*conversation{},
	}
	var err error
	if s.layout, err = inspect(in.Archive.Names(), in.Options.Workspace); err != nil {
		return nil, err
	}
	if err := s.readPeople(ctx); err != nil {
		return nil, err
	}
	if err := s.readConversations(ctx); err != nil {
		return nil, err
	}
	if len(s.conversations) == 0 {
		return nil, importing.Unusable("the archive lists no channels; needed is %s", wanted)
	}
	s.assign(in.Archive.Names())
	return s, nil
}

// Scan implements importing.Source.
func (s *source) Scan(ctx context.Context) (*importing.Directory, error) {
	if err := s.scan(ctx); err != nil {
		return nil, err
	}
	for _, x := range s.extras {
		s.Report.Count(importing.Others, importing.Skipped, x.why, x.name)
	}
	d := &importing.Directory{Realm: importing.Realm{Name: s.Options.Workspace}}
	s.describePeople(d)
	s.describeConversations(d)
	s.describeEmoji(d)
	return d, nil
}

// Open implements importing.Source.
func (s *source) Open(ctx context.Context, f *importing.File) (io.ReadCloser, error) {
	if importing.Remote(f) {
		return s.download(ctx, f)
	}
	return s.Archive.Open(f.Path)
}

// list reads a file with a list, if the export has it. fn gets each element that is an object.
func (s *source) list(ctx context.Context, name string, k importing.Kind, fn func(element []byte) error) error {
	f, err := s.Archive.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = importing.Elements(f, func(n int, element json.RawMessage) error {
		if err := fn(element); err != nil {
			s.Report.Count(k, importing.Refused, "malformed", where(name, n))
		}
		return ctx.Err()
	})
	if cause := ctx.Err(); cause != nil {
		return errors.Join(cause, f.Close())
	}
	if err != nil {
		err = importing.Unusable("%s in the archive is damaged or incomplete (%v); needed is %s", name, err, wanted)
	}
	return errors.Join(err, f.Close())
}
