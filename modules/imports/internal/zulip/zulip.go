// Package zulip reads the exports of Zulip: a tar file with realm.json, files of 1000 messages each, and uploads.
//
// The tables of realm.json are read row by row. Kept are those of people, channels, groups and their memberships, and
// 16 bytes for each reaction, because reactions are in another file than their messages. IDs are those of the other
// server and become keys. Any version is accepted whose tables have the columns that are needed.
package zulip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// Format reads exports of Zulip.
var Format = importing.Format{Name: "zulip", Doc: "An export of Zulip (.tar.gz, or the unpacked folder).", Open: open}

const wanted = "an export that \"manage.py export\" or the organization's settings in Zulip have completed"

type source struct {
	importing.Input
	tables
	messages []string // the names of the files of messages
}

func open(ctx context.Context, in importing.Input) (importing.Source, error) {
	s := &source{Input: in}
	names := in.Archive.Names()
	for _, name := range names {
		if strings.HasPrefix(name, "messages-") && !strings.HasSuffix(name, ".json") {
			return nil, importing.Unusable("the export is not complete: it contains %.200s; needed is %s", name, wanted)
		}
		if n := len(s.messages) + 1; strings.HasPrefix(name, "messages-") {
			if name != fmt.Sprintf("messages-%06d.json", n) {
				return nil, importing.Unusable("the export is not complete: messages-%06d.json is missing; needed is %s", n, wanted)
			}
			s.messages = append(s.messages, name)
		}
	}
	switch {
	case slices.Contains(names, "realm.json"):
	case slices.Contains(names, "users.json") && slices.Contains(names, "channels.json"):
		return nil, importing.Unusable("the archive is an export of Slack; use \"stoa import slack\"")
	case slices.Contains(names, "manifest.json"):
		return nil, importing.Unusable("the archive is an export of Stoa; use \"stoa import stoa\"")
	default:
		return nil, importing.Unusable("the archive contains no realm.json; needed is %s", wanted)
	}
	if err := s.readTables(ctx); err != nil {
		return nil, err
	}
	if len(s.realms) == 0 || len(s.users) == 0 || len(s.recipients) == 0 {
		return nil, importing.Unusable("realm.json contains no organization, no users or no recipients; needed is %s", wanted)
	}
	if slices.Contains(names, "consented_user_ids.json") {
		in.Report.Note("The export contains only the private data of people who have agreed to it.")
	}
	return s, nil
}

// Open implements importing.Source.
func (s *source) Open(_ context.Context, f *importing.File) (io.ReadCloser, error) {
	return s.Archive.Open(f.Path)
}

// read calls fn for each row of each table of a file.
func (s *source) read(ctx context.Context, name string, fn func(table, where string, row []byte) error) error {
	f, err := s.Archive.Open(name)
	if err != nil {
		return err
	}
	err = rows(f, func(table string, n int, row []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(table, fmt.Sprintf("%s: %s %d", name, table, n), row)
	})
	return errors.Join(err, f.Close())
}
