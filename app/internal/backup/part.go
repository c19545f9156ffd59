package backup

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// spool is a temporary file, which disappears with the process. Parts are written to spools first, so that reading the
// database never waits for a network, and are read from spools, so that nothing is used before its hash is verified.
type spool struct {
	f    *os.File
	sum  hash.Hash
	size int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "stoa-backup-*")
	if err != nil {
		return nil, temporary(err)
	}
	_ = os.Remove(f.Name()) // where open files cannot be removed, Close does it
	return &spool{f: f, sum: sha256.New()}, nil
}

func temporary(err error) error {
	return fmt.Errorf("%w; TMPDIR can name another folder for temporary files", err)
}

// Write implements io.Writer.
func (s *spool) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	if err != nil {
		return n, temporary(err)
	}
	s.size += int64(n)
	return s.sum.Write(p)
}

func (s *spool) hash() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// reader returns a reader of the whole content.
func (s *spool) reader() io.Reader { return io.NewSectionReader(s.f, 0, s.size) }

// Close deletes the file.
func (s *spool) Close() error {
	err := s.f.Close()
	_ = os.Remove(s.f.Name()) // usually gone
	return err
}

// sealing is how parts are written.
type sealing struct {
	recipients []age.Recipient
	compressor *zstd.Encoder
}

func newSealing(recipients []age.Recipient) (*sealing, error) {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &sealing{recipients, compressor}, nil
}

// name returns the name of a part whose content is compressed or not.
func (s *sealing) name(name string, compressed bool) string {
	if compressed {
		name += ".zst"
	}
	if len(s.recipients) > 0 {
		name += ".age"
	}
	return name
}

// fill returns a spool with the sealed form of what write writes.
func (s *sealing) fill(compressed bool, write func(io.Writer) error) (*spool, error) {
	to, err := newSpool()
	if err != nil {
		return nil, err
	}
	if err := s.write(to, compressed, write); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

func (s *sealing) write(to *spool, compressed bool, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(to, 1<<18)
	var w io.Writer = buffered
	end := func() error { return nil }
	if len(s.recipients) > 0 {
		sealed, err := age.Encrypt(w, s.recipients...)
		if err != nil {
			return err
		}
		w, end = sealed, sealed.Close
	}
	if compressed {
		s.compressor.Reset(w)
		w = s.compressor
		seal := end
		end = func() error { return errors.Join(s.compressor.Close(), seal()) }
	}
	if err := write(w); err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	return buffered.Flush()
}

// put stores a spool and closes it.
func put(ctx context.Context, to ports.Blobs, key string, s *spool) error {
	_, err := to.Put(ctx, key, s.reader(), s.size)
	if err != nil {
		err = fmt.Errorf("write %s: %w", key, reason(err))
	}
	return errors.Join(err, s.Close())
}

// fetch returns a spool with the content of an object, whose hash it verifies.
func fetch(ctx context.Context, from ports.Blobs, key string, size int64, sum string) (*spool, error) {
	body, _, err := from.Open(ctx, key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		return nil, damaged("%s is missing", key)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, reason(err))
	}
	defer func() { _ = body.Close() }()
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(s, body)
	switch {
	case err != nil:
		err = fmt.Errorf("read %s: %w", key, reason(err))
	case size >= 0 && s.size != size:
		err = damaged("%s is truncated: it has %d bytes instead of %d", key, s.size, size)
	case s.hash() != sum:
		err = damaged("%s has been changed or is damaged: its SHA-256 differs from that in the manifest", key)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ErrNoIdentity reports that an encrypted part is read without a key.
var ErrNoIdentity = errors.New("the backup is encrypted; name the file with its key with --identity")

// OtherKeyError reports that an encrypted part is read with keys of others than its recipients.
type OtherKeyError struct{ Recipients []string }

func (e *OtherKeyError) Error() string {
	return "the backup is encrypted for another key than that in the file named by --identity; name the file with the " +
		"private key of " + strings.Join(e.Recipients, " or ")
}

// opening is how parts are read.
type opening struct {
	identities []age.Identity
	recipients []string // for whom the parts are encrypted; none: they are not
}

// checkKey opens the smallest part of a set, so that a missing or wrong key is noticed before anything else. Errors:
// ErrNoIdentity, *OtherKeyError, *DamagedError.
func (o opening) checkKey(ctx context.Context, from From, m *Manifest) error {
	if len(o.recipients) == 0 {
		return nil
	}
	all := slices.DeleteFunc(m.parts(), func(p Part) bool { return !strings.HasSuffix(p.Name, ".age") })
	if len(all) == 0 {
		return nil
	}
	p := slices.MinFunc(all, func(a, b Part) int { return cmp.Compare(a.Size, b.Size) })
	s, err := fetch(ctx, from.Place, setsPrefix+from.Set+"/"+p.Name, p.Size, p.SHA256)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	content, err := o.reader(s, true, false)
	if err != nil {
		return err
	}
	return content.Close()
}

// reader returns a reader of what a spool contains in sealed form.
func (o opening) reader(s *spool, sealed, compressed bool) (io.ReadCloser, error) {
	r := io.NopCloser(bufio.NewReaderSize(s.reader(), 1<<18))
	if sealed {
		if len(o.identities) == 0 {
			return nil, ErrNoIdentity
		}
		plain, err := age.Decrypt(r, o.identities...)
		var wrong *age.NoIdentityMatchError
		if errors.As(err, &wrong) {
			return nil, &OtherKeyError{o.recipients}
		}
		if err != nil {
			return nil, fmt.Errorf("decrypt the backup: %w", err)
		}
		r = io.NopCloser(plain)
	}
	if compressed {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRow))
		if err != nil {
			return nil, err
		}
		r = d.IOReadCloser()
	}
	return r, nil
}
