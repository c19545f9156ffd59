package logs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/app/internal/logs"
)

// Lines before the file is open and after it was closed are lost, and do not fail.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f := logs.NewFile(path, func(err error) { t.Error(err) })
	write := func(text string) {
		t.Helper()
		if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
	}
	write("early")
	if err := f.Open(); err != nil {
		t.Fatal(err)
	}
	write("a")
	if err := f.Open(); err != nil {
		t.Fatal(err)
	}
	write("b")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	write("late")
	if got, err := os.ReadFile(path); string(got) != "ab" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// A file that cannot be written is reported once.
func TestFileFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no file that is full")
	}
	reported := 0
	f := logs.NewFile("/dev/full", func(error) { reported++ })
	if err := f.Open(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = f.Write([]byte("x"))
	}
	if err := f.Close(); err != nil || reported != 1 {
		t.Errorf("reported %d times, %v", reported, err)
	}
}
