package exports

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type archiveFlags struct {
	Type string `enum:"public,full_with_consent,full_without_consent" default:"public" placeholder:"TYPE" help:"Whose data: public, full_with_consent or full_without_consent."`
}

type folderFlags struct {
	Folder string `arg:"" type:"path" placeholder:"DIR" help:"The folder to write, on the server. It must not exist."`
	archiveFlags
}

// written says what is in a folder.
type written struct {
	Folder   string `json:"folder"`
	Channels int    `json:"channels"`
	Direct   int    `json:"direct_conversations"`
	Messages int64  `json:"messages"`
	Files    int64  `json:"files"`
	Missing  int64  `json:"missing_files"`
}

// exportArchive writes an archive of an organization, without the limits on size and number that protect the server
// from its users.
func (s *service) exportArchive(ctx context.Context, a kit.Actor, in archiveFlags, to io.Writer) error {
	r, err := s.begun(ctx, a, in)
	if err != nil {
		return err
	}
	return s.stream(ctx, r, to)
}

// exportFolder writes a folder with the same content, for people.
func (s *service) exportFolder(ctx context.Context, a kit.Actor, in folderFlags) (written, error) {
	r, err := s.begun(ctx, a, in.archiveFlags)
	if err != nil {
		return written{}, err
	}
	return s.writeFolder(ctx, r, filepath.Clean(in.Folder))
}

// begun returns an export that is not in the database.
func (s *service) begun(ctx context.Context, a kit.Actor, in archiveFlags) (*row, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	kind := export.Type(in.Type)
	if err := export.CheckType(kind, &v.Realm().Settings, user.Owner); err != nil {
		return nil, err
	}
	return &row{RealmID: a.Realm, Type: kind, RequestedAt: s.Clock.Now(), Position: "{}"},
		s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.ExportDownloaded, Target: audit.To(audit.Realm, a.Realm),
			New: audit.Values{"type": kind},
		})
}

// stream writes all parts of an archive.
func (s *service) stream(ctx context.Context, r *row, to io.Writer) error {
	for {
		a, err := s.archive(ctx, r)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, a)
		if err = errors.Join(err, a.Close()); err != nil || a.complete {
			return err
		}
		at, err := json.Marshal(a.at)
		if err != nil {
			return err
		}
		r.Position = string(at)
	}
}

// writeFolder writes a folder under another name, and renames it when it is complete.
func (s *service) writeFolder(ctx context.Context, r *row, dir string) (written, error) {
	if _, err := os.Lstat(dir); err == nil {
		return written{}, errs.New(errs.Invalid, "%s exists already; name another folder", dir)
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-unfinished-*")
	if err != nil {
		return written{}, errs.New(errs.Invalid, "the server cannot create the folder: %v", err)
	}
	done, err := s.fillFolder(ctx, r, unfinished)
	if err == nil {
		err = os.Rename(unfinished, dir)
	}
	if err != nil {
		return written{}, errors.Join(err, os.RemoveAll(unfinished))
	}
	done.Folder = dir
	return done, nil
}

func (s *service) fillFolder(ctx context.Context, r *row, dir string) (written, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return written{}, err
	}
	f, err := s.folder(ctx, r, root)
	if err == nil {
		err = f.write()
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return written{}, err
	}
	return written{
		Channels: len(f.rooms), Direct: len(f.direct), Messages: f.about.Lines[messagesSection], Files: f.about.Blobs,
		Missing: f.about.Missing,
	}, nil
}
