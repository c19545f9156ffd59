package linkkey_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/linkkey"
)

func TestKey(t *testing.T) {
	s := linkkey.Secret("secret")
	key := s.Key("reset", 77, "nonce")
	id, proof, ok := linkkey.Parse(key)
	if !ok || id != 77 || !s.Proves("reset", 77, "nonce", proof) {
		t.Fatalf("%s: %d %v", key, id, ok)
	}
	for name, proves := range map[string]bool{
		"another kind":   s.Proves("change", 77, "nonce", proof),
		"another id":     s.Proves("reset", 78, "nonce", proof),
		"another nonce":  s.Proves("reset", 77, "ecnon", proof),
		"another secret": linkkey.Secret("terces").Proves("reset", 77, "nonce", proof),
		"a part":         s.Proves("reset", 77, "nonce", proof[:16]),
	} {
		if proves {
			t.Errorf("%s: the key was accepted", name)
		}
	}
	for _, bad := range []string{"", "-", "0-" + key[3:], "x", key + "A", key[:len(key)-1], "02" + key[1:], "-1" + key[2:],
		" " + key, key + "=", strings.Repeat("1", 90)} {
		if _, _, ok := linkkey.Parse(bad); ok {
			t.Errorf("%q was accepted as a key", bad)
		}
	}
}

func TestSource(t *testing.T) {
	a, b := linkkey.Secret("a"), linkkey.Secret("b")
	if s := a.Source("192.0.2.1"); s == "" || strings.Contains(s, "192") || s != a.Source("192.0.2.1") ||
		s == a.Source("192.0.2.2") || s == b.Source("192.0.2.1") {
		t.Errorf("%q", s)
	}
}
