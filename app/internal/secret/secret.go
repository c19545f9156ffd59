// Package secret encrypts values that the server must be able to read, but that a copy of the database must not reveal.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
)

// MinLength is the minimum length of a secret in bytes.
const MinLength = 32

// Sealer implements ports.Sealer with AES-256-GCM. Each purpose has its own key derived from the secret, so that a
// value sealed for one purpose cannot be opened for another.
type Sealer struct {
	text string // from the configuration; "": read from the file
	path string

	mu   sync.Mutex
	root []byte
}

// New returns a Sealer with the secret text, or, if text is "", with the secret in the file "secret" in dir. The first
// Seal creates that file; nothing is read or written before.
func New(text, dir string) *Sealer { return &Sealer{text: text, path: filepath.Join(dir, "secret")} }

// version is the prefix of sealed values, which allows changing the format.
const version = "1."

// Seal implements ports.Sealer.
func (s *Sealer) Seal(purpose, text string) (string, error) {
	aead, err := s.aead(purpose, true)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return version + base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(text), nil)), nil
}

// Open implements ports.Sealer.
func (s *Sealer) Open(purpose, sealed string) (string, error) {
	rest, ok := strings.CutPrefix(sealed, version)
	raw, err := base64.RawStdEncoding.DecodeString(rest)
	if !ok || err != nil {
		return "", unreadable(err)
	}
	aead, err := s.aead(purpose, false)
	if err != nil {
		return "", err
	}
	if len(raw) < aead.NonceSize() {
		return "", unreadable(nil)
	}
	text, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], nil)
	if err != nil {
		return "", unreadable(err)
	}
	return string(text), nil
}

func unreadable(cause error) error {
	return errs.New(errs.NotFound, "The encrypted value cannot be read").Because(cause)
}

// Text returns the secret, or "" if it does not exist yet.
func (s *Sealer) Text() (string, error) {
	text, err := s.secret(false)
	if errs.Is(err, errs.NotFound) {
		return "", nil
	}
	return string(text), err
}

func (s *Sealer) aead(purpose string, create bool) (cipher.AEAD, error) {
	root, err := s.secret(create)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, root, nil, "stoa: "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return cipher.NewGCM(block)
}

// secret returns the secret. If create is set, it creates the file if necessary. Errors: NotFound if there is no file.
func (s *Sealer) secret(create bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text != "" {
		return []byte(s.text), nil
	}
	if s.root != nil {
		return s.root, nil
	}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, unreadable(err)
		}
		if err = s.createFile(); err == nil {
			text, err = os.ReadFile(s.path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the server's secret: %w", err)
	}
	word := strings.TrimSpace(string(text))
	if len(word) < MinLength {
		return nil, fmt.Errorf("the server's secret: %s holds fewer than %d characters", s.path, MinLength)
	}
	s.root = []byte(word)
	return s.root, nil
}

// createFile writes a new secret that only its owner can read. If several servers do so at once, the first one wins.
func (s *Sealer) createFile() error {
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".secret-*") // created with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(rand.Text() + rand.Text() + "\n") // 260 random bits
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
