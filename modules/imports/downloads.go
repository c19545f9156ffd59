package imports

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/fetch"
	"github.com/stoachat/stoa/ports"
)

const (
	maxToken    = 4 << 10 // bytes
	maxDownload = 4096    // MiB, unless --max-file says something else
)

// fetcher returns what downloads the files of an archive.
func (s *service) fetcher(in downloadFlags, scratch string) (importing.Fetcher, error) {
	remote, ok := s.Webhooks.(ports.Downloads)
	if !ok {
		return nil, errs.New(errs.Invalid, "--download needs an adapter for webhooks that can download, such as http")
	}
	c := &fetch.Client{Remote: remote, Dir: scratch, MaxBytes: cmp.Or(in.MaxFile, maxDownload) << 20}
	if in.TokenFile == "" {
		return c, nil
	}
	var err error
	if c.Token, err = readToken(in.TokenFile); err != nil {
		return nil, errs.New(errs.Invalid, "--token-file: %v", err)
	}
	return c, nil
}

// readToken reads a token from a file. Its errors do not contain it.
func readToken(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is not a file")
	}
	f, err := os.Open(name) //nolint:gosec // the operator names it
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if !strings.HasPrefix(token, "xox") || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fmt.Errorf("contains no token of Slack, which begins with %s", "xox")
	}
	return token, nil
}
