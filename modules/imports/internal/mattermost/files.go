package mattermost

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// path finds a file of the export. Its path is relative to the folder data; some exports contain that folder in paths,
// or absolute paths.
func (s *source) path(claimed string) (string, bool) {
	name := strings.ReplaceAll(claimed, `\`, "/")
	if name == "" || slices.Contains(strings.Split(name, "/"), "..") {
		return "", false
	}
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	candidates := []string{"data/" + name, name}
	if _, after, ok := strings.Cut(name, "/data/"); ok {
		candidates = append(candidates, "data/"+after)
	}
	for _, c := range candidates {
		if _, ok := s.Archive.Size(c); ok && c != s.file {
			return c, true
		}
	}
	return "", false
}

func base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// image returns the file of an avatar, or nil.
func (s *source) image(claimed string) *importing.File {
	if claimed == "" {
		return nil
	}
	name, ok := s.path(claimed)
	if !ok {
		s.Report.Count(importing.Files, importing.Refused, "is missing in the archive", importing.CleanText(claimed))
		return nil
	}
	return &importing.File{Name: base(name), Path: name}
}

// Files implements importing.Source. Missing files were counted with the posts that have them.
func (s *source) Files(ctx context.Context, fn func(*importing.File) error) error {
	return s.posts(ctx, func(p *post) error {
		if p.channel == "" && s.Options.NoDirect {
			return nil
		}
		if err := s.filesOf(&p.postLine, fn); err != nil {
			return err
		}
		for i := range p.Replies.All {
			if err := s.filesOf(&p.Replies.All[i], fn); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

func (s *source) filesOf(p *postLine, fn func(*importing.File) error) error {
	if !s.Options.Within(importing.Milliseconds(p.CreateAt)) {
		return nil
	}
	for _, a := range p.Attachments.All {
		name, ok := s.path(a.Path)
		if !ok {
			continue
		}
		err := fn(&importing.File{
			Key: importing.Key(name), Owner: personKey(p.User), Name: base(name), Path: name,
			Created: importing.Milliseconds(p.CreateAt),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// attached returns the links to the files of a post, and the names of those that are not in the archive.
func (s *source) attached(p *postLine) (links, missing []string) {
	for _, a := range p.Attachments.All {
		name, ok := s.path(a.Path)
		label := linkLabel(base(a.Path))
		if !ok {
			missing = append(missing, a.Path)
			links = append(links, "["+label+"](missing file)")
			continue
		}
		links = append(links, "["+label+"]("+importing.FileLink(importing.Key(name), "missing file")+")")
	}
	return links, missing
}
