package breached_test

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/accounts/internal/breached"
)

// write writes a list of passwords, each line made of a sum by line.
func write(t *testing.T, passwords []string, line func(sum string) string) breached.List {
	t.Helper()
	var lines []string
	for _, p := range passwords {
		lines = append(lines, line(fmt.Sprintf("%X", sha1.Sum([]byte(p)))))
	}
	slices.Sort(lines)
	return file(t, strings.Join(lines, ""))
}

func file(t *testing.T, text string) breached.List {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return breached.List(path)
}

func TestContains(t *testing.T) {
	for name, line := range map[string]func(string) string{
		"with counts":  func(s string) string { return s + ":" + strings.Repeat("1", 1+int(s[0])%9) + "\r\n" },
		"lower case":   func(s string) string { return strings.ToLower(s) + "\n" },
		"first digits": func(s string) string { return s[:16] + "\n" },
	} {
		for _, n := range []int{0, 1, 2, 3, 4, 50, 1000} {
			var known []string
			for i := range n {
				known = append(known, fmt.Sprint("password", i))
			}
			l := write(t, known, line)
			for i := range n + 50 {
				p := fmt.Sprint("password", i)
				if found, err := l.Contains(p); err != nil || found != (i < n) {
					t.Fatalf("%s, %d lines: %s: %v, %v", name, n, p, found, err)
				}
			}
		}
	}
	last := strings.TrimSuffix(fmt.Sprintf("%X", sha1.Sum([]byte("one"))), "\n") // without an end of the line
	if found, err := file(t, last).Contains("one"); err != nil || !found {
		t.Error(found, err)
	}
	if found, err := breached.List("").Contains("one"); err != nil || found {
		t.Error(found, err)
	}
}

// A file that is no such list must not pass as one that contains nothing.
func TestOtherFiles(t *testing.T) {
	zeros, high, highest := strings.Repeat("0", 40), "FF"+strings.Repeat("0", 38), strings.Repeat("F", 40)
	for name, text := range map[string]string{
		"passwords":    "password\nqwerty\n",
		"few digits":   "00000\n",
		"long line":    zeros + ":" + strings.Repeat("1", 1000) + "\n",
		"descending":   highest + "\n" + highest + "\n" + high + "\n" + high + "\n",
		"one long one": strings.Repeat("0", 5000),
	} {
		if found, err := file(t, text).Contains("one"); err == nil {
			t.Errorf("%s: %v, no error", name, found)
		}
	}
	for _, path := range []string{t.TempDir(), "/nonexistent"} {
		if _, err := breached.List(path).Contains("one"); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
