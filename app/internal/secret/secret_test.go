package secret

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

func TestSealed(t *testing.T) {
	text := strings.Repeat("s", MinLength)
	s := New(text, "/nowhere")
	a, err := s.Seal("key of 1", "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := s.Seal("key of 1", "open sesame")
	if a == b || strings.Contains(a, "sesame") {
		t.Errorf("sealed twice: %s, %s", a, b)
	}
	for _, x := range []string{a, b} {
		if got, err := New(text, "").Open("key of 1", x); got != "open sesame" || err != nil {
			t.Errorf("opened: %q, %v", got, err)
		}
	}
	flip := []byte(a)
	flip[len(flip)-3] ^= 1
	for _, c := range []struct{ by, purpose, sealed string }{
		{text, "key of 2", a}, {text + "x", "key of 1", a}, {text, "key of 1", string(flip)}, {text, "key of 1", ""},
		{text, "key of 1", "1."}, {text, "key of 1", "1.!"}, {text, "key of 1", "2" + a[1:]}, {text, "key of 1", a[:12]},
	} {
		if got, err := New(c.by, "").Open(c.purpose, c.sealed); got != "" || !errs.Is(err, errs.NotFound) {
			t.Errorf("%q for %q with %q: %q, %v", c.sealed, c.purpose, c.by, got, err)
		}
	}
}

// The file is created on first use and then kept. Only its owner can read it.
func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := New("", dir).Open("p", "1.AAAA"); !errs.Is(err, errs.NotFound) {
		t.Errorf("without a file: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a read created the folder")
	}
	var all sync.WaitGroup
	sealed := make([]string, 8)
	for i := range sealed {
		all.Go(func() {
			var err error
			if sealed[i], err = New("", dir).Seal("p", "x"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, x := range sealed {
		if got, err := New("", dir).Open("p", x); got != "x" || err != nil {
			t.Errorf("opened: %q, %v", got, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if rest, _ := os.ReadDir(dir); len(rest) != 1 {
		t.Errorf("left in the folder: %v", rest)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New("", dir).Seal("p", "x"); err == nil || !strings.Contains(err.Error(), "fewer than 32") {
		t.Errorf("a short secret: %v", err)
	}
}
