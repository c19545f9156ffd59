package slack

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// address returns the address of a file of Slack, or "" if it is not on Slack's hosts. The token that exports add to
// addresses is kept apart, because addresses are shown in reports.
func (s *source) address(of string) string {
	u, err := url.Parse(of)
	if err != nil || u.Scheme != "https" || u.User != nil || !mayDownload(u.Hostname()) {
		return ""
	}
	q := u.Query()
	if t := q.Get("t"); strings.HasPrefix(t, "xox") {
		s.token.Store(&t)
	}
	q.Del("t")
	u.RawQuery, u.Fragment = q.Encode(), ""
	return u.String()
}

// mayDownload reports whether files are downloaded from a host.
func mayDownload(host string) bool {
	return host == "files.slack.com" || strings.HasSuffix(host, ".slack-edge.com")
}

// download returns the content of a file at Slack. It may be called at the same time as others.
func (s *source) download(ctx context.Context, f *importing.File) (io.ReadCloser, error) {
	if s.Fetch == nil {
		return nil, errors.New("downloads are not allowed")
	}
	target := f.Path
	if u, err := url.Parse(target); err == nil && s.token.Load() != nil && u.Hostname() == "files.slack.com" {
		q := u.Query()
		q.Set("t", *s.token.Load())
		u.RawQuery = q.Encode()
		target = u.String()
	}
	content, mediaType, err := s.Fetch.Get(ctx, target)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(mediaType, "text/html") && !strings.HasSuffix(strings.ToLower(f.Name), ".html") &&
		!strings.HasSuffix(strings.ToLower(f.Name), ".htm") {
		return nil, errors.Join(importing.Unusable("Slack answers with a page to log in instead of a file: the token of the "+
			"export or the one in --token-file is not valid (any more)"), content.Close())
	}
	return content, nil
}

// describeEmoji adds custom emoji, whose images are downloaded. Aliases of one become the same emoji.
func (s *source) describeEmoji(d *importing.Directory) {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.emoji)) {
		e := s.emoji[name]
		if path := s.address(e.url); e.unicode == "" && !seen[e.key] && path != "" {
			seen[e.key] = true
			d.Emoji = append(d.Emoji, importing.Emoji{
				Key: importing.Key(e.key), Name: e.key, Image: &importing.File{Name: e.key, Path: path},
			})
		}
	}
}
