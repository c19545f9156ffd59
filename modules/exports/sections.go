package exports

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/modules/kit"
)

// format is the version of the archive's format. Increment it with every incompatible change.
const format = 1

// manifest is the last file of an archive.
type manifest struct {
	Format  int              `json:"format"`
	Type    export.Type      `json:"export_type"`
	Time    time.Time        `json:"requested_at"`
	Name    string           `json:"organization"`
	UUID    string           `json:"uuid"`
	Lines   map[string]int64 `json:"lines"`         // number of lines, by table
	Blobs   int64            `json:"files"`         // number of files below files/
	Missing int64            `json:"missing_files"` // number of files in lines that were not found
}

// section reads the lines of one table in an archive.
type section struct {
	name string
	page kit.PageFunc
}

// sections returns the sections of all modules, sorted by name.
func (s *service) sections() []section {
	var all []section
	for _, t := range s.Collected.Tables() {
		switch {
		case t.Page != nil:
			all = append(all, section{t.Name, t.Page})
		case t.Exported:
			all = append(all, section{t.Name, s.table(t)})
		}
	}
	slices.SortFunc(all, func(a, b section) int { return strings.Compare(a.name, b.name) })
	return all
}

// table returns a function that reads pages of a table.
func (s *service) table(declared kit.Table) kit.PageFunc {
	t := newTable(declared)
	return func(ctx context.Context, scope *export.Scope, after string) (export.Page, error) {
		if t.rowsPrivate() && scope.NobodyConsents() {
			return export.Page{}, nil
		}
		return s.rows.Page(ctx, t, scope, after)
	}
}
