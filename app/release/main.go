// Release builds everything that a version of Stoa is published as, into dist: archives of the server for all
// platforms, Debian packages, container images, the Helm chart, the licenses of third parties, a bill of materials, the
// changes, and checksums. Two runs of the same commit write identical bytes.
//
//	make release VERSION=1.2.3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	version := flag.String("version", "", "version to release, such as 1.2.3")
	root := flag.String("root", "../..", "checkout of the repository")
	out := flag.String("out", "dist", "folder to write, in the checkout; it is emptied first")
	only := flag.String("platforms", "", "platforms to build, such as linux/amd64,linux/arm64; all if empty")
	changed := flag.Bool("changed", false, "release a checkout with changes that are not committed, for tests")
	flag.Parse()
	r, err := open(context.Background(), *root, *version, *only, *changed)
	if err == nil {
		r.out = filepath.Join(r.root, *out)
		err = r.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is a version that is being built.
type release struct {
	root      string // of the checkout
	version   string // without the v of its tag
	commit    string
	time      time.Time // of the commit; all files have it
	out       string
	platforms []platform
}

var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// open reads commit and time from the checkout, which must not contain changes.
func open(ctx context.Context, root, version, only string, changed bool) (release, error) {
	r := release{version: version}
	if !semantic.MatchString(version) {
		return r, fmt.Errorf("VERSION must be a semantic version without a v, such as 1.2.3; got %q", version)
	}
	var err error
	if r.platforms, err = choose(only); err != nil {
		return r, err
	}
	if r.root, err = filepath.Abs(root); err != nil {
		return r, err
	}
	status, err := output(ctx, r.root, "git", "status", "--porcelain")
	if err != nil {
		return r, err
	}
	if status != "" && !changed {
		return r, errors.New("the checkout contains changes that are not committed:\n" + status)
	}
	at, err := output(ctx, r.root, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return r, err
	}
	commit, seconds, _ := strings.Cut(at, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	r.commit, r.time = commit, time.Unix(n, 0).UTC()
	return r, err
}

// run writes everything.
func (r release) run(ctx context.Context) error {
	changes, err := changesOf(filepath.Join(r.root, ".github", "CHANGELOG.md"), r.version)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "stoa-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	binaries, err := r.build(ctx, work)
	if err != nil {
		return err
	}
	parts, err := r.parts(ctx)
	if err != nil {
		return err
	}
	licenses := licensesText(parts)
	bom, err := r.bom(parts)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"CHANGELOG.md": []byte(changes), "THIRD_PARTY_LICENSES.txt": licenses, r.name(bomName): bom,
	} {
		if err := os.WriteFile(filepath.Join(r.out, name), data, 0o644); err != nil {
			return err
		}
	}
	generated, err := r.generated(ctx, binaries)
	if err != nil {
		return err
	}
	generated["THIRD_PARTY_LICENSES.txt"] = licenses
	for _, b := range binaries {
		if err := errors.Join(r.archive(b, generated), r.deb(b, changes, generated)); err != nil {
			return err
		}
	}
	return errors.Join(r.images(binaries, generated), r.chart(), r.sums())
}

const bomName = "cdx.json"

// name returns the name of a file in the release, such as stoa_1.2.3_linux_amd64.tar.gz.
func (r release) name(rest string) string {
	sep := "_"
	if rest == bomName {
		sep = "."
	}
	return "stoa_" + r.version + sep + rest
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
