// Package scaffold writes the first files of new modules. They are a copy of the package skeleton, a module that works,
// under another name.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The module path of Stoa, and the package that is copied.
const (
	stoa   = "github.com/stoachat/stoa"
	copied = "skeleton"
)

//go:embed skeleton
var files embed.FS

var moduleName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// CheckName returns an error if a module must not have this name.
func CheckName(name string) error {
	switch {
	case !moduleName.MatchString(name):
		return fmt.Errorf("a module cannot be named %q: use lower-case letters and digits, as in recipes", name)
	case token.IsKeyword(name), name == "main", name == "internal", name == "vendor", name == "testdata":
		return fmt.Errorf("a module cannot be named %s: the name has a meaning in Go", name)
	}
	clashes := false
	err := eachFile(func(_, text string) error {
		clashes = clashes || strings.Contains(text, "/"+name+"\"\n") || strings.Contains(text, "\t\""+name+"\"\n")
		return nil
	})
	if clashes {
		return fmt.Errorf("a module cannot be named %s: its files import another package %s", name, name)
	}
	return err
}

// Root returns the root of the checkout that contains a folder.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod")) //nolint:gosec // the developer's folder
		if err == nil && strings.HasPrefix(string(text), "module "+stoa+"\n") {
			return at, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in a checkout of Stoa; run this command in one", dir)
		}
	}
}

// Write writes the files of a new module to modules/NAME of a checkout.
func Write(root, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	dir := filepath.Join(root, "modules", name)
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("modules/%s already exists", name)
	}
	return eachFile(func(path, text string) error {
		path = filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(path, copied, name)))
		text = strings.ReplaceAll(text, stoa+"/app/internal/scaffold/"+copied, stoa+"/modules/"+name)
		content := []byte(strings.ReplaceAll(text, copied, name))
		if strings.HasSuffix(path, ".go") {
			var err error
			if content, err = format.Source(content); err != nil { // imports and tags are aligned for another name
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // folders of a repository
			return err
		}
		return os.WriteFile(path, content, 0o644) //nolint:gosec // a file of a repository
	})
}

// eachFile calls f with the path of each copied file within the package, and its text.
func eachFile(f func(path, text string) error) error {
	return fs.WalkDir(files, copied, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return f(strings.TrimPrefix(path, copied+"/"), string(text))
	})
}
