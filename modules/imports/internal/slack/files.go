package slack

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// file is a file of a message.
type file struct {
	ID, Name, Title, Mimetype, Filetype, Mode, User, Permalink, Preview text
	Timestamp, Created                                                  text
	URL                                                                 text   `json:"url_private"`
	Download                                                            text   `json:"url_private_download"`
	ExternalURL                                                         text   `json:"external_url"`
	IsExternal                                                          flag   `json:"is_external"`
	Access                                                              text   `json:"file_access"`
	Size                                                                number `json:"size"`
}

func (f *file) name() string { return first(f.Title.s(), f.Name.s(), f.ID.s(), "file") }

// gone reports whether Slack has only a note that there was a file.
func (f *file) gone() bool {
	switch f.Mode {
	case "tombstone", "hidden_by_limit":
		return true
	}
	return f.Access == "access_denied" || f.Access == "file_not_found"
}

// external returns the address of a file that is outside of Slack, or "".
func (f *file) external() string {
	u := first(f.URL.s(), f.ExternalURL.s(), f.Permalink.s())
	p, err := url.Parse(u)
	switch {
	case err != nil || p.Host == "" || p.Scheme != "https" && p.Scheme != "http":
		return ""
	case bool(f.IsExternal) || f.Mode == "external" || !slackHost(p.Hostname()):
		return u
	}
	return ""
}

func slackHost(host string) bool {
	return host == "slack.com" || strings.HasSuffix(host, ".slack.com") || strings.HasSuffix(host, ".slack-edge.com")
}

// allFiles returns the files of a message, in the forms of all times.
func (m *message) allFiles() []file {
	all := slices.Clone([]file(m.Files))
	if f := m.File.v; f != nil && !slices.ContainsFunc(all, func(x file) bool { return x.ID == f.ID }) {
		all = append(all, *f)
	}
	for i := range m.Blocks {
		if f := m.Blocks[i].SlackFile.v; f != nil {
			all = append(all, *f)
		}
	}
	return all
}

// snippetLimit is the maximum size of a snippet that is also shown as code, in bytes.
const snippetLimit = 10 << 10

// show returns what stands in a message for one of its files.
func (f *file) show() []part {
	name := f.name()
	switch {
	case f.gone():
		return []part{para(plain("(deleted file)"))}
	case f.external() != "":
		return []part{para(link(f.external(), plain(name)))}
	case f.ID == "":
		return []part{para(plain(name + " (missing file)"))}
	}
	out := []part{para(span{kind: refSpan, text: name, md: "[" + linkText(name) + "](" +
		importing.FileLink(importing.Key(f.ID), "missing file") + ")"})}
	if f.Mode == "snippet" && f.Preview != "" && f.Size <= snippetLimit {
		out = append(out, part{kind: codePart, lang: language(f.Filetype.s()), code: f.Preview.s()})
	}
	return out
}

// language returns the name of a programming language after a fence.
func language(filetype string) string {
	if filetype == "text" || strings.Trim(filetype, "abcdefghijklmnopqrstuvwxyz0123456789+#-") != "" {
		return ""
	}
	switch filetype {
	case "quote", "quoted", "spoiler", "math": // these fences mean something else here
		return ""
	}
	return filetype
}

// Files implements importing.Source.
func (s *source) Files(ctx context.Context, fn func(*importing.File) error) error {
	return s.each(ctx, func(c *conversation, at string, m *message, err error) error {
		if err != nil || !s.selected(c) || !s.passes(m) {
			return nil //nolint:nilerr // Messages counts what is malformed
		}
		for _, f := range m.allFiles() {
			switch {
			case f.gone():
				s.Report.Count(importing.Files, importing.Skipped, "deleted or hidden by plan", at)
				continue
			case f.external() != "":
				s.Report.Count(importing.Files, importing.Skipped, importing.ForeignHost, f.name()+", "+at)
				continue
			case f.ID == "":
				s.Report.Count(importing.Files, importing.Refused, "its content is not in the archive", at)
				continue
			}
			path := s.content(c, &f)
			if path == "" {
				s.Report.Count(importing.Files, importing.Refused, "its content is not in the archive", f.ID.s()+", "+at)
				continue
			}
			created, _ := importing.Seconds(first(f.Timestamp.s(), f.Created.s()))
			one := &importing.File{
				Key: importing.Key(f.ID), Owner: importing.Key(first(f.User.s(), m.User.s())), Created: created, Path: path,
				Name: first(f.Name.s(), f.Title.s(), f.ID.s()),
			}
			if err := fn(one); err != nil {
				return err
			}
		}
		return nil
	})
}

// content returns where the content of a file is, in the archive or in Slack, or "".
func (s *source) content(c *conversation, f *file) string {
	if strings.ContainsAny(f.ID.s(), "/.") {
		return ""
	}
	prefixes := []string{c.base + "__uploads/" + f.ID.s() + "/", "__uploads/" + f.ID.s() + "/"}
	if len(c.days) > 0 {
		prefixes = append(prefixes, path.Dir(c.days[0])+"/attachments/"+f.ID.s()+"-")
	}
	prefixes = append(prefixes, c.base+f.ID.s()+"/attachments/")
	names := s.Archive.Names()
	for _, p := range prefixes {
		if i, _ := slices.BinarySearch(names, p); i < len(names) && strings.HasPrefix(names[i], p) {
			return names[i]
		}
	}
	if s.Fetch == nil {
		return ""
	}
	return s.address(first(f.Download.s(), f.URL.s()))
}
