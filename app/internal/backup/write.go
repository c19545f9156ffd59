package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"filippo.io/age"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Source is a server of which a backup is made.
type Source struct {
	DB      *bunstore.DB
	Blobs   ports.Blobs // nil: files are not copied
	Keys    func(context.Context) iter.Seq2[kit.BlobKey, error]
	Clock   ports.Clock
	Version string
	Secret  string // "": there is none yet
	// NoSecret leaves out the secret.
	NoSecret bool
	Config   string // with secrets masked
	// Progress receives how much of something is done.
	Progress func(what string, done, all int)
}

// To is where and how a backup is written.
type To struct {
	Place      ports.Blobs
	Recipients []string // age's public keys; none: not encrypted
}

// Written describes a new set.
type Written struct {
	Set      string `json:"set"`
	Manifest *Manifest
	NewBytes int64 `json:"new_bytes"` // what was stored, without what other sets had already
}

// attempts is the maximum number of copies of the database. If a file is deleted while others are being copied, the
// backup lacks it although its database refers to it. A new copy of the database no longer does.
const attempts = 4

// Write makes a backup: of the database, then of the files that it refers to. Nothing waits for it. If it fails, the
// place contains an incomplete set, which everything ignores.
func Write(ctx context.Context, from Source, to To) (*Written, error) {
	recipients, err := parseRecipients(to.Recipients)
	if err != nil {
		return nil, err
	}
	seal, err := newSealing(recipients)
	if err != nil {
		return nil, err
	}
	w := &writer{Source: from, to: to, seal: seal}
	for left := attempts; ; left-- {
		retry, err := w.set(ctx, left > 1)
		if err != nil {
			return nil, err
		}
		if !retry {
			return &w.Written, nil
		}
	}
}

func parseRecipients(names []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, name := range names {
		r, err := age.ParseX25519Recipient(name)
		if err != nil {
			return nil, fmt.Errorf("%q is not a public key of age: want age1 and 58 characters, as age-keygen prints it", name)
		}
		all = append(all, r)
	}
	return all, nil
}

type writer struct {
	Source
	Written
	to   To
	seal *sealing
}

// set writes a set. It returns true, without having completed the set, if retries is set and files have been deleted
// since the copy of the database.
func (w *writer) set(ctx context.Context, retries bool) (again bool, err error) {
	began := w.Clock.Now().UTC()
	m := &Manifest{Format: format, Version: w.Version, Database: w.DB.Kind(), Began: began, Age: w.to.Recipients}
	m.NoSecret = w.NoSecret && w.Secret != ""
	if err := w.begin(ctx, began); err != nil {
		return false, err
	}
	all, keys, err := w.database(ctx, m)
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.Close())
		}
	}()
	if err != nil {
		return false, err
	}
	if w.Blobs != nil {
		if again, err = w.files(ctx, m, keys, retries); err != nil || again {
			return again, err
		}
	}
	for i := range m.Tables {
		w.Progress("tables", i, len(m.Tables))
		next := all[0]
		all = all[1:]
		if m.Tables[i].Rows == 0 {
			m.Tables[i].Part = Part{}
			if err := next.Close(); err != nil {
				return false, err
			}
			continue
		}
		if err := w.store(ctx, &m.Tables[i].Part, next); err != nil {
			return false, err
		}
	}
	w.Progress("tables", 1, 1)
	for _, p := range []struct {
		name, text string
		part       **Part
	}{{"secret", w.Secret, &m.Secret}, {"config.yaml", w.Config, &m.Config}} {
		if p.text == "" || p.name == "secret" && w.NoSecret {
			continue
		}
		s, err := w.seal.fill(false, func(to io.Writer) error { _, err := io.WriteString(to, p.text); return err })
		if err != nil {
			return false, err
		}
		*p.part = &Part{Name: w.seal.name(p.name, false)}
		if err := w.store(ctx, *p.part, s); err != nil {
			return false, err
		}
	}
	m.Ended = w.Clock.Now().UTC()
	w.Manifest = m
	return false, m.write(ctx, w.to.Place, w.Set)
}

// begin finds a name for the set and announces it, so that nobody else prunes the place.
func (w *writer) begin(ctx context.Context, at time.Time) error {
	complete, incomplete, err := Sets(ctx, w.to.Place)
	if err != nil {
		return err
	}
	for {
		w.Set = at.Format(setName)
		if !slices.Contains(complete, w.Set) && !slices.Contains(incomplete, w.Set) {
			break
		}
		at = at.Add(time.Second)
	}
	if _, err = w.to.Place.Put(ctx, setsPrefix+w.Set+"/"+begunPart, bytes.NewReader(nil), 0); err != nil {
		return fmt.Errorf("begin the backup: %w", reason(err))
	}
	return nil
}

// store stores a part of the set and describes it.
func (w *writer) store(ctx context.Context, p *Part, s *spool) error {
	p.Size, p.SHA256 = s.size, s.hash()
	w.NewBytes += s.size
	return put(ctx, w.to.Place, setsPrefix+w.Set+"/"+p.Name, s)
}

// database copies all tables to spools, and lists the files that they refer to.
func (w *writer) database(ctx context.Context, m *Manifest) (all []*spool, keys []kit.BlobKey, err error) {
	if err := w.DB.CheckRestored(ctx); err != nil {
		return nil, nil, err
	}
	d, err := w.DB.Dump(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	if m.Migrations, err = w.DB.Applied(d.With(ctx)); err != nil {
		return nil, nil, err
	}
	last, err := d.LastIDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	relations, err := d.Relations(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range relations {
		w.Progress("database", i, len(relations))
		t := Table{Relation: r, LastID: last[r.Name]}
		s, err := w.table(ctx, d, &t, m)
		if err != nil {
			return all, nil, err
		}
		all, m.Tables = append(all, s), append(m.Tables, t)
	}
	w.Progress("database", 1, 1)
	if w.Blobs == nil {
		return all, nil, nil
	}
	for k, err := range w.Keys(d.With(ctx)) {
		if err != nil {
			return all, nil, err
		}
		keys = append(keys, k)
	}
	return all, keys, nil
}

func (w *writer) table(ctx context.Context, d *bunstore.Dump, t *Table, m *Manifest) (*spool, error) {
	t.Part.Name = w.seal.name("tables/"+t.Name, true)
	check := newChecker(t.Relation)
	s, err := w.seal.fill(true, func(to io.Writer) error { return t.read(ctx, d, check, to) })
	m.Logs, m.Audit = append(m.Logs, check.logs...), append(m.Audit, check.audit...)
	return s, err
}

// read writes the rows of a table in the form of a part, and sets Rows and Content.
func (t *Table) read(ctx context.Context, d *bunstore.Dump, check *checker, to io.Writer) error {
	sum := sha256.New()
	var buffer []byte
	flush := func() error {
		sum.Write(buffer)
		_, err := to.Write(buffer)
		buffer = buffer[:0]
		return err
	}
	err := d.Rows(ctx, t.Relation, func(row bunstore.Row) error {
		t.Rows++
		if err := check.row(row); err != nil {
			return err
		}
		buffer = append(binary.AppendUvarint(buffer, uint64(len(row))), row...)
		if len(buffer) < 1<<16 {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	t.Content = hex.EncodeToString(sum.Sum(nil))
	return err
}

// blobID returns the first part of the name of a file's blob. It depends on the recipients, so that a set for new
// recipients does not refer to blobs that these cannot read.
func (w *writer) blobID(key string) string {
	text := key
	for _, r := range slices.Sorted(slices.Values(w.to.Recipients)) {
		text += "\x00" + r
	}
	return hashOf([]byte(text))[:32]
}

func blobName(id, sum string, sealed bool) string {
	name := blobsPrefix + id[:2] + "/" + id + "-" + sum
	if sealed {
		name += ".age"
	}
	return name
}

// known maps the IDs of the stored blobs to their names.
func known(ctx context.Context, place ports.Blobs) (map[string]string, error) {
	all := map[string]string{}
	for e, err := range place.Keys(ctx, blobsPrefix, "") {
		if err != nil {
			return nil, fmt.Errorf("list the files of earlier backups: %w", reason(err))
		}
		if id, ok := idOf(e); ok {
			all[id] = e.Key
		}
	}
	return all, nil
}

func idOf(e blob.Entry) (string, bool) {
	_, name, ok := cutLast(e.Key, "/")
	if !ok || len(name) < 32+1+64 || name[32] != '-' {
		return "", false
	}
	return name[:32], true
}
