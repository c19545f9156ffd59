package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/stoachat/stoa/domain/user"
)

// hasher hashes passwords with Argon2id. It limits concurrency, because each computation needs much memory.
type hasher struct {
	memory uint32 // KiB
	passes uint32
	slots  chan struct{} // one element per computation
}

const (
	saltBytes = 16
	hashBytes = 32
)

func newHasher(memoryKiB, passes, atOnce int) *hasher {
	return &hasher{memory: uint32(memoryKiB), passes: uint32(passes), slots: make(chan struct{}, atOnce)}
}

// Hash hashes a password. The result contains the algorithm, its parameters, the salt and the hash.
func (h *hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	sum, err := h.sum(ctx, password, salt, h.memory, h.passes)
	return fmt.Sprintf("argon2id$%d$%d$%s$%s", h.memory, h.passes, base64.RawStdEncoding.EncodeToString(salt),
		base64.RawStdEncoding.EncodeToString(sum)), err
}

// Matches reports whether stored, a result of Hash, is a hash of password. If stored is invalid, such as "" for unknown
// users, Matches takes as long as for a valid hash.
func (h *hasher) Matches(ctx context.Context, stored, password string) (bool, error) {
	memory, passes, salt, want, ok := parse(stored)
	if !ok {
		memory, passes, salt, want = h.memory, h.passes, make([]byte, saltBytes), make([]byte, hashBytes)
	}
	if user.PasswordTooLong(password) {
		password, ok = "", false
	}
	sum, err := h.sum(ctx, password, salt, memory, passes)
	return subtle.ConstantTimeCompare(sum, want) == 1 && ok && err == nil, err
}

func parse(stored string) (memory, passes uint32, salt, sum []byte, ok bool) {
	parts := strings.Split(stored, "$")
	if len(parts) != 5 || parts[0] != "argon2id" {
		return 0, 0, nil, nil, false
	}
	if _, err := fmt.Sscanf(parts[1]+" "+parts[2], "%d %d", &memory, &passes); err != nil || passes == 0 {
		return 0, 0, nil, nil, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[3])
	if err != nil {
		return 0, 0, nil, nil, false
	}
	sum, err = base64.RawStdEncoding.DecodeString(parts[4])
	return memory, passes, salt, sum, err == nil && len(sum) == hashBytes
}

func (h *hasher) sum(ctx context.Context, password string, salt []byte, memory, passes uint32) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return make([]byte, hashBytes), ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, passes, memory, 1, hashBytes), nil
}
