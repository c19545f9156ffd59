package accounts

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

func TestHasher(t *testing.T) {
	ctx, h := t.Context(), newHasher(64, 1, 1)
	stored, err := h.Hash(ctx, "correct horse")
	if err != nil || strings.Contains(stored, "horse") {
		t.Fatalf("%q, %v", stored, err)
	}
	if again, _ := h.Hash(ctx, "correct horse"); again == stored {
		t.Error("two hashes of one password are equal: no salt")
	}
	costlier := newHasher(128, 2, 1)
	for _, c := range []struct {
		h                *hasher
		stored, password string
		want             bool
	}{
		{h, stored, "correct horse", true},
		{costlier, stored, "correct horse", true}, // hashes keep the parameters they were created with
		{h, stored, "Correct horse", false},
		{h, stored, "", false},
		{h, stored, strings.Repeat("x", user.MaxPassword+1), false},
		{h, "", "", false}, // accounts without a password
		{h, "", "correct horse", false},
		{h, "argon2id$64$1$AAAA$AAAA", "correct horse", false},
		{h, "argon2id$64$0$AAAA$AAAA", "correct horse", false},
		{h, "plain$correct horse", "correct horse", false},
	} {
		if got, err := c.h.Matches(ctx, c.stored, c.password); got != c.want || err != nil {
			t.Errorf("Matches(%q, %q) = %v, %v; want %v", c.stored, c.password, got, err, c.want)
		}
	}
}

// Every login computes one hash, so that timing does not reveal whether an account exists.
func TestEveryLoginHashes(t *testing.T) {
	h := newHasher(64, 1, 1)
	h.slots <- struct{}{} // hashing is in progress: others wait until their context ends
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stored := "argon2id$64$1$AAAAAAAAAAAAAAAAAAAAAA$" + strings.Repeat("A", 43)
	for _, s := range []string{stored, "", "nonsense"} {
		if ok, err := h.Matches(ctx, s, "x"); ok || err == nil {
			t.Errorf("%q: %v, %v: answered without hashing", s, ok, err)
		}
	}
}

func TestNewKey(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		k := newKey()
		if len(k) != keyLength || strings.Trim(k, keyChars) != "" || seen[k] {
			t.Fatalf("key %q", k)
		}
		seen[k] = true
	}
}

func TestHasKey(t *testing.T) {
	u := &user.User{Keys: []user.KeyHash{hashKey("one"), hashKey("two")}}
	for key, want := range map[string]bool{"one": true, "two": true, "three": false, "": false} {
		if hasKey(u, hashKey(key)) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
	if hasKey(nil, hashKey("")) || hasKey(nil, hashKey("one")) || hasKey(&user.User{}, hashKey("")) {
		t.Error("a missing user has a key")
	}
}
