package imports

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

const (
	keyPrefix = "imports/" // of the keys of parts
	perForget = 200        // maximum number of blobs removed at once
)

type receiveReq struct {
	ID     store.JobID `json:"import_id"`
	Offset int64       `json:"offset"`
	Body   kit.Body
}

type receiveRes struct {
	Received int64 `json:"received"`
}

// receive handles POST /imports/:import_id/archive. After a broken request, the client reads from the list how much was
// received, and continues there. Errors: BadRequest.
func (s *service) receive(ctx context.Context, a kit.Actor, in receiveReq) (receiveRes, error) {
	if err := s.admit(ctx, a); err != nil {
		return receiveRes{}, err
	}
	j, err := s.job(ctx, a, in.ID)
	if err != nil {
		return receiveRes{}, err
	}
	n := int64(len(in.Body.Bytes))
	switch {
	case j.State != store.Uploading:
		return receiveRes{}, errs.Bad("The archive has been uploaded already")
	case in.Offset != j.Received:
		return receiveRes{}, errs.Bad("Invalid offset: %d bytes have been received", j.Received)
	case n == 0 || n > j.Size-j.Received:
		return receiveRes{}, errs.Bad("Invalid part: it is empty, or the archive becomes larger than announced")
	}
	key := fmt.Sprintf("%s%d/%s", keyPrefix, a.Realm, strings.ToLower(rand.Text()))
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		return s.rows.AddPart(ctx, &store.Part{Key: key, JobID: j.ID, RealmID: a.Realm, Number: j.Parts})
	})
	if err != nil {
		return receiveRes{}, err
	}
	if _, err = s.Blobs.Put(ctx, key, bytes.NewReader(in.Body.Bytes), n); err == nil {
		err = s.Work.Do(ctx, func(ctx context.Context) error {
			state := store.Uploading
			if j.Received+n == j.Size {
				state = store.Uploaded
			}
			ok, err := s.rows.PartStored(ctx, j, key, n, state, s.Clock.Now())
			if err == nil && !ok {
				err = errs.Bad("Another request has continued the upload")
			}
			return err
		})
	}
	if err != nil {
		return receiveRes{}, errors.Join(err, s.forget(context.WithoutCancel(ctx), []string{key}))
	}
	return receiveRes{j.Received + n}, nil
}

// forget deletes blobs and then their rows.
func (s *service) forget(ctx context.Context, keys []string) error {
	if err := s.Blobs.Delete(ctx, keys...); err != nil {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.ForgetParts(ctx, keys...) })
}

// discard deletes the archive of an import or, if id is 0, all of a realm, and the files made of them.
func (s *service) discard(ctx context.Context, r domainrealm.ID, id store.JobID) error {
	if id != 0 {
		if err := os.RemoveAll(s.scratch(id)); err != nil {
			return err
		}
	}
	for {
		keys, err := s.rows.PartKeys(ctx, r, id, perForget)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := s.forget(ctx, keys); err != nil {
			return err
		}
	}
}

// erase deletes the archives of a realm that is being deleted.
func (s *service) erase(ctx context.Context, m *domainrealm.Erasing) error {
	if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.DropJobs(ctx, m.Realm) }); err != nil {
		return err
	}
	return s.discard(ctx, m.Realm, 0)
}

// keys lists the keys of parts.
func (s *service) keys(ctx context.Context, after string, limit int) ([]kit.BlobKey, error) {
	rows, err := s.rows.KeysAfter(ctx, after, limit)
	all := make([]kit.BlobKey, len(rows))
	for i, r := range rows {
		all[i] = kit.BlobKey{Key: r.Key, Optional: r.Size == nil}
	}
	return all, err
}

// scratch returns the folder for the files of an import on this node.
func (s *service) scratch(id store.JobID) string {
	return filepath.Join(string(s.DataDir), "imports", fmt.Sprintf("@%d", id))
}

// assemble writes the parts of an archive to a file, unless it is there, and returns its name.
func (s *service) assemble(ctx context.Context, j *store.Job) (string, error) {
	dir := s.scratch(j.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "archive")
	if strings.EqualFold(filepath.Ext(j.FileName), ".jsonl") {
		name += ".jsonl"
	}
	if info, err := os.Stat(name); err == nil && info.Size() == j.Size {
		return name, nil
	}
	parts, err := s.rows.Parts(ctx, j.ID)
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // in the data directory
	if err != nil {
		return "", err
	}
	for _, p := range parts {
		if err = s.appendPart(ctx, f, p.Key); err != nil {
			break
		}
	}
	return name, errors.Join(err, f.Close())
}

func (s *service) appendPart(ctx context.Context, to io.Writer, key string) error {
	from, _, err := s.Blobs.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, from.Close())
}

// address returns the URL of an organization. at is the URL of another one, for servers that do not know their own.
func (s *service) address(ctx context.Context, r domainrealm.ID, at string) (string, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return "", err
	}
	site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
	if err != nil || site != "" {
		return site, err
	}
	root, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	if id := v.Realm().StringID; id != "" {
		root.Host = id + "." + root.Host
	}
	return root.String(), nil
}
