package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// format is the version of the format. A program reads those up to its own.
const format = 1

// Manifest describes a set.
type Manifest struct {
	Format     int                `json:"format"`
	Version    string             `json:"version"`  // of the program
	Database   string             `json:"database"` // sqlite or postgres
	Began      time.Time          `json:"began"`
	Ended      time.Time          `json:"ended"`
	Age        []string           `json:"age,omitempty"` // the recipients for whom the parts are encrypted
	Migrations []bunstore.Applied `json:"migrations"`
	Logs       []Log              `json:"logs"`
	Audit      []audit.Head       `json:"audit,omitempty"` // the ends of the audit logs
	Tables     []Table            `json:"tables"`
	Files      Files              `json:"files"`
	Secret     *Part              `json:"secret,omitempty"`
	Config     *Part              `json:"config,omitempty"`
	// NoSecret is set if the server has a secret that the set lacks.
	NoSecret bool `json:"no_secret,omitempty"`
}

// Part is an object in a place.
type Part struct {
	Name   string `json:"name"` // without the folder of the set
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// Table describes the rows of a table.
type Table struct {
	bunstore.Relation
	Rows    int64  `json:"rows"`
	LastID  int64  `json:"last_id,omitempty"` // the highest ID that was ever given to a row
	Content string `json:"content"`           // SHA-256 of the uncompressed rows
	Part    Part   `json:"part,omitzero"`     // none if there are no rows
}

// Log describes the log of a realm.
type Log struct {
	Realm int64 `json:"realm"`
	First int64 `json:"first"`
	Head  int64 `json:"head"`
}

// Files describes the files.
type Files struct {
	Count   int   `json:"count"`
	Bytes   int64 `json:"bytes"`
	Missing int   `json:"missing,omitempty"` // files that the database refers to, but that did not exist
	Part    *Part `json:"part,omitempty"`    // nil: files were not copied
	Blobs   *Part `json:"blobs,omitempty"`   // never encrypted
}

const (
	setsPrefix  = "sets/"
	blobsPrefix = "blobs/"
	setName     = "20060102T150405Z"

	begunPart    = "begun"
	manifestPart = "manifest.json"
	completePart = "complete"
)

// parts returns the parts of a set but its manifest.
func (m *Manifest) parts() []Part {
	var all []Part
	for _, t := range m.Tables {
		if t.Rows > 0 {
			all = append(all, t.Part)
		}
	}
	for _, p := range []*Part{m.Files.Part, m.Files.Blobs, m.Secret, m.Config} {
		if p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// Bytes returns the size of a set without the files.
func (m *Manifest) Bytes() int64 {
	var n int64
	for _, p := range m.parts() {
		n += p.Size
	}
	return n
}

// ErrNone reports that a place contains no complete set.
var ErrNone = errors.New("there is no complete backup")

// Sets returns the names of the complete sets in a place, and those of the incomplete ones; oldest first.
func Sets(ctx context.Context, from ports.Blobs) (complete, incomplete []string, err error) {
	ended := map[string]bool{}
	for e, err := range from.Keys(ctx, setsPrefix, "") {
		if err != nil {
			return nil, nil, reason(err)
		}
		name, part, _ := strings.Cut(strings.TrimPrefix(e.Key, setsPrefix), "/")
		ended[name] = ended[name] || part == completePart
	}
	for name, is := range ended {
		if is {
			complete = append(complete, name)
		} else {
			incomplete = append(incomplete, name)
		}
	}
	slices.Sort(complete)
	slices.Sort(incomplete)
	return complete, incomplete, nil
}

// Find returns the name of a set: the newest one if at is "". Errors: ErrNone.
func Find(ctx context.Context, from ports.Blobs, at string) (string, error) {
	complete, incomplete, err := Sets(ctx, from)
	switch {
	case err != nil:
		return "", err
	case at != "" && slices.Contains(incomplete, at):
		return "", fmt.Errorf("%w: %s was interrupted", ErrNone, at)
	case at != "" && !slices.Contains(complete, at) && len(complete) > 0:
		return "", fmt.Errorf("%w with the name %s; there are %s", ErrNone, at, strings.Join(complete, ", "))
	case len(complete) == 0 && len(incomplete) > 0:
		return "", fmt.Errorf("%w: %s was interrupted", ErrNone, incomplete[len(incomplete)-1])
	case len(complete) == 0:
		return "", ErrNone
	case at == "":
		at = complete[len(complete)-1]
	}
	return at, nil
}

// TimeOf returns when a set was begun, or the zero time if its name does not say so.
func TimeOf(set string) time.Time {
	at, _ := time.Parse(setName, set)
	return at
}

// maxManifest is the maximum size of a manifest in bytes.
const maxManifest = 64 << 20

// Read returns the manifest of a set.
func Read(ctx context.Context, from ports.Blobs, set string) (*Manifest, error) {
	text, err := readAll(ctx, from, setsPrefix+set+"/"+manifestPart)
	if err != nil {
		return nil, err
	}
	sum, err := readAll(ctx, from, setsPrefix+set+"/"+completePart)
	if err != nil {
		return nil, err
	}
	if string(sum) != hashOf(text) {
		return nil, damaged("%s of %s has been changed or is damaged", manifestPart, set)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, damaged("%s of %s cannot be read: %w", manifestPart, set, err)
	}
	if m.Format > format {
		return nil, &NewerError{Version: m.Version}
	}
	return m, nil
}

// write stores the manifest, which completes the set.
func (m *Manifest) write(ctx context.Context, to ports.Blobs, set string) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		text []byte
	}{{manifestPart, text}, {completePart, []byte(hashOf(text))}} {
		if _, err := to.Put(ctx, setsPrefix+set+"/"+p.name, bytes.NewReader(p.text), int64(len(p.text))); err != nil {
			return fmt.Errorf("write %s: %w", p.name, reason(err))
		}
	}
	return nil
}

func readAll(ctx context.Context, from ports.Blobs, name string) ([]byte, error) {
	body, _, err := from.Open(ctx, name, 0, maxManifest)
	if errs.Is(err, errs.NotFound) {
		return nil, damaged("%s is missing", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, reason(err))
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, reason(err))
	}
	return text, nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// reason returns the cause of an error whose own text only asks the user to try again.
func reason(err error) error {
	var e *errs.Error
	if errors.As(err, &e) && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}

// DamagedError reports that a part of a backup is missing, or is not what was written.
type DamagedError struct{ error }

// Unwrap returns the error that describes the damage.
func (e *DamagedError) Unwrap() error { return e.error }

func damaged(format string, args ...any) error { return &DamagedError{fmt.Errorf(format, args...)} }

// NewerError reports that a newer version has written a backup.
type NewerError struct{ Version, Step string }

func (e *NewerError) Error() string {
	text := fmt.Sprintf("the backup was written by version %s, which is newer than this one", e.Version)
	if e.Step != "" {
		text += " (" + e.Step + ")"
	}
	return text + "; restore it with that version"
}
