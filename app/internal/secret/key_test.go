package secret

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// A key is the same wherever the secret is, and is another for another purpose and another secret.
func TestKey(t *testing.T) {
	text := strings.Repeat("s", MinLength)
	key := func(text, purpose string) []byte {
		t.Helper()
		k, err := New(text, "").Key(purpose)
		if err != nil || len(k) != 32 {
			t.Fatalf("%x, %v", k, err)
		}
		return k
	}
	first := key(text, "links")
	if !bytes.Equal(first, key(text, "links")) || bytes.Equal(first, key(text, "others")) || bytes.Equal(first, key(text+"x", "links")) {
		t.Error("the key does not tell purposes and secrets apart")
	}
	dir := filepath.Join(t.TempDir(), "data")
	a, err := New("", dir).Key("links")
	b, again := New("", dir).Key("links")
	if err != nil || again != nil || !bytes.Equal(a, b) {
		t.Errorf("%x %v, then %x %v", a, err, b, again)
	}
}
