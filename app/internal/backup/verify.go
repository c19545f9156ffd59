package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"filippo.io/age"

	"github.com/stoachat/stoa/ports"
)

// From is where and how a backup is read.
type From struct {
	Place      ports.Blobs
	Set        string
	Identities []age.Identity
	Progress   func(what string, done, all int)
}

// Verified is the result of verifying a set.
type Verified struct {
	Manifest *Manifest
	Sealed   bool     `json:"sealed"` // only the hashes were verified, since the set is encrypted and there is no key
	Rows     int64    `json:"rows"`
	Files    int      `json:"files"`
	Problems []string `json:"problems"`
}

// maxProblems is the maximum number of problems that Verify describes.
const maxProblems = 50

func (v *Verified) add(err error) {
	if err != nil && len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, err.Error())
	}
}

// Verify reads a whole set, and checks the hashes of all parts and blobs, the number and content of the rows, that the
// logs have no gaps, and that there is a blob for every file. Its error means that the set cannot be read at all.
func Verify(ctx context.Context, from From) (*Verified, error) {
	m, err := Read(ctx, from.Place, from.Set)
	if err != nil {
		return nil, err
	}
	v := &Verified{Manifest: m, Sealed: len(m.Age) > 0 && len(from.Identities) == 0, Problems: []string{}}
	o := opening{from.Identities, m.Age}
	if !v.Sealed {
		var damage *DamagedError
		if err := o.checkKey(ctx, from, m); err != nil && !errors.As(err, &damage) {
			return nil, err
		}
	}
	var all ends
	for i, t := range m.Tables {
		from.Progress("tables", i, len(m.Tables))
		found, err := o.verifyTable(ctx, from, m, t, v.Sealed)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			v.Rows += t.Rows
		}
		v.add(err)
		all.logs, all.audit = append(all.logs, found.logs...), append(all.audit, found.audit...)
	}
	from.Progress("tables", 1, 1)
	if !v.Sealed && len(v.Problems) == 0 && (!slices.Equal(all.logs, m.Logs) || !slices.Equal(all.audit, m.Audit)) {
		v.add(errors.New("the logs of the organizations do not end where the manifest says"))
	}
	for _, p := range []*Part{m.Secret, m.Config} {
		if p != nil {
			v.add(verifyPart(ctx, from, m, o, *p, v.Sealed))
		}
	}
	return v, o.verifyFiles(ctx, from, m, v)
}

func verifyPart(ctx context.Context, from From, m *Manifest, o opening, p Part, sealed bool) error {
	s, err := fetch(ctx, from.Place, setsPrefix+from.Set+"/"+p.Name, p.Size, p.SHA256)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if sealed {
		return nil
	}
	r, err := o.reader(s, len(m.Age) > 0, false)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}

func (o opening) verifyTable(ctx context.Context, from From, m *Manifest, t Table, sealed bool) (ends, error) {
	if t.Rows == 0 {
		return ends{}, nil
	}
	s, err := fetch(ctx, from.Place, setsPrefix+from.Set+"/"+t.Part.Name, t.Part.Size, t.Part.SHA256)
	if err != nil {
		return ends{}, err
	}
	defer func() { _ = s.Close() }()
	if sealed {
		return ends{}, nil
	}
	r, err := o.reader(s, len(m.Age) > 0, true)
	if err != nil {
		return ends{}, err
	}
	defer func() { _ = r.Close() }()
	rows := newRowReader(t, r)
	for {
		_, err := rows.next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return rows.check.ends, nil
		}
		if err != nil {
			return ends{}, err
		}
		if err := ctx.Err(); err != nil {
			return ends{}, err
		}
	}
}

// verifyFiles checks the blobs of a set.
func (o opening) verifyFiles(ctx context.Context, from From, m *Manifest, v *Verified) error {
	for name, err := range blobsOf(ctx, from.Place, from.Set, m) {
		var sum string
		if err == nil {
			sum, err = sumOf(name)
		}
		if err == nil {
			from.Progress("files", v.Files, m.Files.Count)
			v.Files++
			var s *spool
			if s, err = fetch(ctx, from.Place, name, -1, sum); err == nil {
				err = s.Close()
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.add(err)
	}
	from.Progress("files", 1, 1)
	listed := v.Files
	if v.Sealed {
		if m.Files.Part != nil {
			v.add(verifyPart(ctx, from, m, o, *m.Files.Part, true))
		}
	} else {
		listed = 0
		for _, err := range o.listed(ctx, from.Place, from.Set, m) {
			v.add(err)
			listed++
		}
	}
	if len(v.Problems) == 0 && (v.Files != m.Files.Count || listed != m.Files.Count) {
		v.add(fmt.Errorf("the set lists %d files instead of %d", min(v.Files, listed), m.Files.Count))
	}
	return ctx.Err()
}
