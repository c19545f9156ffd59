package slack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// layout is where the files of an export are.
type layout struct {
	bases  []string // the folders with lists, with a slash: that of the workspace, and the one at the top
	extras []extra  // files that are no part of what is imported
}

type extra struct{ name, why string }

// kinds are the lists of conversations.
var kinds = []struct {
	file            string
	private, direct bool
}{{"channels.json", false, false}, {"groups.json", true, false}, {"mpims.json", true, true}, {"dms.json", true, true}}

// noPlace lists the files whose content has no counterpart here.
var noPlace = map[string]bool{
	"canvases.json": true, "canvas_in_the_conversation.json": true, "content_flags.json": true,
	"huddle_transcripts.json": true, "lists.json": true, "bookmarks.json": true, "file_conversations.json": true,
}

// inspect finds the lists of an export, or those of one of several workspaces. names are sorted.
func inspect(names []string, workspace string) (layout, error) {
	has := func(name string) bool { _, ok := slices.BinarySearch(names, name); return ok }
	workspaces := workspacesIn(names)
	var l layout
	switch {
	case workspace != "" && slices.Contains(workspaces, workspace):
		l.bases = append(l.bases, "teams/"+workspace+"/")
	case workspace != "" && len(workspaces) > 0:
		return l, importing.Unusable("the archive contains no workspace %q, but %s", workspace,
			strings.Join(workspaces, ", "))
	case len(workspaces) == 1:
		l.bases = append(l.bases, "teams/"+workspaces[0]+"/")
	case len(workspaces) > 1:
		return l, importing.Unusable("the archive contains several workspaces; choose one with --workspace: %s",
			strings.Join(workspaces, ", "))
	}
	l.bases = append(l.bases, "")
	people, channels := false, false
	for _, base := range l.bases {
		people = people || has(base+"users.json") || has(base+"org_users.json")
		for _, k := range kinds {
			channels = channels || has(base+k.file)
		}
	}
	switch {
	case people && channels:
		return l, nil
	case !people && !channels && slices.ContainsFunc(names, func(n string) bool { return path.Ext(n) == ".txt" }):
		return l, importing.Unusable("the archive is an export of one person's conversations as text (TXT), which lacks "+
			"people and threads; needed is %s", wanted)
	case !people && !channels:
		return l, importing.Unusable("the archive is not an export of Slack; needed is %s", wanted)
	case !people:
		return l, importing.Unusable("the archive lists no people (users.json), so it is incomplete; needed is %s", wanted)
	}
	return l, importing.Unusable("the archive lists no channels (channels.json), so it is incomplete; needed is %s",
		wanted)
}

// workspacesIn returns the workspaces of an Enterprise Grid.
func workspacesIn(names []string) []string {
	var out []string
	for _, n := range names {
		parts := strings.Split(n, "/")
		if len(parts) == 3 && parts[0] == "teams" && (parts[2] == "users.json" || parts[2] == "channels.json" ||
			parts[2] == "groups.json") && !slices.Contains(out, parts[1]) {
			out = append(out, parts[1])
		}
	}
	return out
}

// assign gives each conversation the names of its days, and notes the files that are not understood.
func (s *source) assign(names []string) {
	folders := map[string]*conversation{}
	for _, c := range s.conversations {
		folders[c.base+c.ID.s()] = c
	}
	for _, c := range s.conversations {
		if c.Name != "" {
			folders[c.base+c.Name.s()] = c
		}
	}
	for _, n := range names {
		dir, file := path.Split(n)
		folder := strings.TrimSuffix(dir, "/")
		switch c := folders[folder]; {
		case c != nil && path.Ext(file) == ".json":
			if noPlace[file] {
				s.extras = append(s.extras, extra{n, "has no place here"})
			} else {
				c.days = append(c.days, n)
			}
		case slices.Contains(s.bases, dir) && s.isList(file):
		case noPlace[file]:
			s.extras = append(s.extras, extra{n, "has no place here"})
		case isUpload(n):
		case strings.HasPrefix(n, "teams/") && !slices.ContainsFunc(s.bases, func(b string) bool {
			return b != "" && strings.HasPrefix(n, b)
		}):
			s.extras = append(s.extras, extra{n, "belongs to another workspace"})
		default:
			s.extras = append(s.extras, extra{n, "is in the folder of no channel"})
		}
	}
}

func (s *source) isList(file string) bool {
	switch file {
	case "users.json", "org_users.json", "integration_logs.json":
		return true
	}
	for _, k := range kinds {
		if k.file == file {
			return true
		}
	}
	return false
}

// isUpload reports whether a file is one that somebody uploaded.
func isUpload(name string) bool {
	return strings.Contains("/"+name, "/__uploads/") || strings.Contains("/"+name, "/attachments/")
}

func where(name string, n int) string { return fmt.Sprintf("%s, element %d", name, n+1) }
