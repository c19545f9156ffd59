// Package stoa reads Stoa's own exports (modules/exports/README.md).
//
// Lines of people, channels and other tables are passed on as they are: the engine inserts them with new IDs, also
// those of modules that are not part of this repository. Only messages and what belongs to them are converted.
package stoa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// Format reads exports of Stoa.
var Format = importing.Format{
	Name: "stoa", Doc: "An export of an organization of Stoa (.tar.gz).", Rows: true, Open: open,
}

// format is the version of the archive's format that can be read.
const format = 1

type source struct {
	importing.Input
	names map[string][]string // the files of each table, in order
	about manifest
}

type manifest struct {
	Format int              `json:"format"`
	Type   string           `json:"export_type"`
	Name   string           `json:"organization"`
	Lines  map[string]int64 `json:"lines"`
}

const wanted = "the export of an organization as its administrators download it (Settings, Organization, Export)"

func open(_ context.Context, in importing.Input) (importing.Source, error) {
	s := &source{Input: in, names: map[string][]string{}}
	f, err := in.Archive.Open("manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, importing.Unusable("the archive has no manifest.json, so it is incomplete or of another kind; "+
			"needed is %s", wanted)
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, importing.MaxValue))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s.about); err != nil {
		return nil, importing.Unusable("manifest.json in the archive is damaged; needed is %s", wanted)
	}
	if s.about.Format != format {
		return nil, importing.Unusable("the archive has format %d; this version reads format %d", s.about.Format, format)
	}
	for _, name := range in.Archive.Names() {
		if table, file, ok := strings.Cut(name, "/"); ok && strings.HasSuffix(file, ".jsonl") && table != "files" {
			s.names[table] = append(s.names[table], name)
		}
	}
	if len(s.names["users"]) == 0 {
		return nil, importing.Unusable("the archive contains no users; needed is %s", wanted)
	}
	if s.about.Type != "full_without_consent" {
		in.Report.Note("The archive is an export of the type %s: what its people had not allowed to be exported is absent.",
			s.about.Type)
	}
	return s, nil
}

// lines calls fn for each line of a table.
func (s *source) lines(ctx context.Context, table string, fn func(where string, line []byte) error) error {
	for _, name := range s.names[table] {
		f, err := s.Archive.Open(name)
		if err != nil {
			return err
		}
		err = importing.Lines(f, func(n int, line []byte) error {
			return errors.Join(ctx.Err(), fn(fmt.Sprintf("%s:%d", name, n), line))
		})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// later are the tables that Files and Messages read.
var later = []string{"messages", "message_flags", "read_chunks", "attachments", "images"}

// Scan implements importing.Source.
func (s *source) Scan(ctx context.Context) (*importing.Directory, error) {
	d := &importing.Directory{Realm: importing.Realm{Name: s.about.Name}}
	for _, table := range sorted(s.names) {
		if slices.Contains(later, table) {
			continue
		}
		if table == "custom_emoji" {
			continue
		}
		if table == "subscription_periods" {
			if err := s.received(ctx, d); err != nil {
				return nil, err
			}
			continue
		}
		err := s.lines(ctx, table, func(where string, line []byte) error {
			if !json.Valid(line) {
				s.Report.Count(importing.Kind(table), importing.Refused, "not a line of JSON", where)
				return nil
			}
			if table == "users" {
				line = withAddress(line, s.Options.EmailDomain)
			}
			d.Rows = append(d.Rows, importing.Row{Table: table, Line: slices.Clone(line)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return d, s.images(ctx, d)
}

// received reads when people received the messages of channels with protected history.
func (s *source) received(ctx context.Context, d *importing.Directory) error {
	return s.lines(ctx, "subscription_periods", func(where string, line []byte) error {
		var p struct {
			Person  json.Number `json:"user_id"`
			Channel json.Number `json:"channel_id"`
			From    time.Time   `json:"from"`
			Upto    *time.Time  `json:"upto"`
		}
		if err := importing.Decode(line, &p); err != nil {
			s.Report.Count(importing.Subscriptions, importing.Refused, "not a line of a period", where)
			return nil //nolint:nilerr // it is counted
		}
		one := importing.Period{From: p.From}
		if p.Upto != nil {
			one.To = p.Upto.Add(time.Microsecond)
		}
		d.Received = append(d.Received, importing.Received{
			Person: key(p.Person), Channel: key(p.Channel), Periods: []importing.Period{one},
		})
		return nil
	})
}

// withAddress adds an address to a user whose address was not exported.
func withAddress(line []byte, domain string) []byte {
	var one map[string]json.RawMessage
	if json.Unmarshal(line, &one) != nil || one["delivery_email"] != nil {
		return line
	}
	address, _ := importing.Address("", importing.Key("user-"+string(one["id"])), domain)
	one["delivery_email"], _ = json.Marshal(address)
	if out, err := json.Marshal(one); err == nil {
		return out
	}
	return line
}

func sorted(all map[string][]string) []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

type attachment struct {
	Owner   json.Number `json:"owner_id"`
	PathID  string      `json:"path_id"`
	Name    string      `json:"name"`
	Type    string      `json:"content_type"`
	Created time.Time   `json:"created_at"`
	File    string      `json:"file"`
}

// Files implements importing.Source.
func (s *source) Files(ctx context.Context, fn func(*importing.File) error) error {
	return s.lines(ctx, "attachments", func(where string, line []byte) error {
		var a attachment
		if err := importing.Decode(line, &a); err != nil || a.PathID == "" {
			s.Report.Count(importing.Files, importing.Refused, "not a line of a file", where)
			return nil //nolint:nilerr // it is counted
		}
		return fn(&importing.File{
			Key: importing.Key(a.PathID), Owner: importing.Key(a.Owner), Name: a.Name, Type: a.Type, Created: a.Created,
			Path: a.File,
		})
	})
}

// Open implements importing.Source.
func (s *source) Open(_ context.Context, f *importing.File) (io.ReadCloser, error) {
	return s.Archive.Open(f.Path)
}
