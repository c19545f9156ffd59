// Package mattermost reads the bulk exports of Mattermost: a ZIP file with one file of JSON lines and the folder data,
// or both beside each other.
//
// The file is read several times, and only people, channels and the names of topics are kept: the order of its lines
// does not matter. Records have no IDs in it, so a person's key is the username, a channel's the names of team and
// channel, and a post's its conversation, time and author.
//
// Replies stand in the line of their root. A root with replies becomes a topic.
package mattermost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// Format reads bulk exports of Mattermost.
var Format = importing.Format{
	Name: "mattermost", Doc: "A bulk export of Mattermost (.zip, or .jsonl beside its folder data).", Threads: true,
	Open: open,
}

// version is the version of the bulk format that can be read.
const version = 1

const wanted = "a bulk export, which \"mmctl export create\" makes"

// source is an opened export.
type source struct {
	importing.Input
	file string // the name of the file of lines
	index
}

func open(ctx context.Context, in importing.Input) (importing.Source, error) {
	s := &source{Input: in}
	var err error
	if s.file, err = find(in.Archive.Names()); err != nil {
		return nil, err
	}
	if err := s.checkVersion(ctx); err != nil {
		return nil, err
	}
	if err := s.readIndex(ctx); err != nil {
		return nil, err
	}
	return s, s.chooseTeam()
}

// find returns the name of the file of lines.
func find(names []string) (string, error) {
	var found []string
	for _, name := range names {
		if !strings.Contains(name, "/") && (strings.HasSuffix(name, ".jsonl") || name == "export.json") {
			found = append(found, name)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", importing.Unusable("the archive contains several files of JSON lines (%s); needed is %s",
			strings.Join(found, ", "), wanted)
	case slices.Contains(names, "users.json") && slices.Contains(names, "channels.json"):
		return "", importing.Unusable("the archive is an export of Slack; use \"stoa import slack\"")
	case slices.Contains(names, "realm.json"):
		return "", importing.Unusable("the archive is an export of Zulip; use \"stoa import zulip\"")
	}
	return "", importing.Unusable("the archive contains no file of JSON lines at its root; needed is %s", wanted)
}

// errEnough ends the reading of lines.
var errEnough = errors.New("enough")

// checkVersion checks the first line.
func (s *source) checkVersion(ctx context.Context) error {
	seen := false
	err := s.lines(ctx, func(_ string, l *line) error {
		if l == nil || l.Type != "version" {
			return errEnough
		}
		var v any
		if importing.Decode(l.Version, &v) != nil || fmt.Sprint(v) != fmt.Sprint(version) {
			return importing.Unusable("the export has version %.20s; this version of Stoa reads version %d", l.Version, version)
		}
		seen = true
		if g := l.Info.Generator; g != "" {
			s.Report.Note("The archive was made by %.60s %.60s.", importing.CleanName(g, 60, ""),
				importing.CleanName(l.Info.Version, 60, ""))
		}
		return errEnough
	})
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return err
	case !seen:
		return importing.Unusable("%s does not begin with a version; needed is %s", s.file, wanted)
	}
	return nil
}

// lines calls fn for each line, or with nil for one that is malformed.
func (s *source) lines(ctx context.Context, fn func(where string, l *line) error) error {
	f, err := s.Archive.Open(s.file)
	if err != nil {
		return err
	}
	err = importing.Lines(f, func(n int, text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var l *line
		if importing.Decode(text, &l) != nil {
			l = nil
		}
		return fn(fmt.Sprintf("%s:%d", s.file, n), l)
	})
	return errors.Join(err, f.Close())
}

// Open implements importing.Source.
func (s *source) Open(_ context.Context, f *importing.File) (io.ReadCloser, error) {
	return s.Archive.Open(f.Path)
}
