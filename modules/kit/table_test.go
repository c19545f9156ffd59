package kit_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// baseModel stands for bun.BaseModel.
type baseModel struct{} //nolint:unused // only its tag counts

type letter struct {
	baseModel `bun:"table:letters,alias:l"` //nolint:unused // only its tag counts
	ID        int64                         `bun:",pk" export:"yes"`
	OrgID     int64                         `export:"no,realm"`
	WriterID  int64                         `owner:"user" export:"yes,consent"`
	ReaderID  user.ID                       `export:"yes" person:"id"`
	Sent      bool                          `export:"yes,public"`
	HTMLText  string                        `bun:",nullzero" export:"private"`
	Marks     string                        `bun:"labels,type:text" export:"private,json"`
	postage
	Draft string `bun:"-"`
	Lines int    `bun:",scanonly"`
	cache string
}

type postage struct {
	StampedAt *time.Time `export:"yes"`
	Seal      []byte     `export:"no"`
}

func TestExported(t *testing.T) {
	_ = letter{}.cache
	want := kit.Table{
		Name: "letters", Row: reflect.TypeFor[letter](), Doc: "A letter.", Realm: "org_id",
		Owner:    kit.Owner{Of: kit.OfUser, Column: "writer_id"},
		Exported: true, Consent: "writer_id", Public: "sent",
		People: []kit.Naming{{Column: "writer_id", Erased: kit.EraseRow}, {Column: "reader_id", Erased: kit.KeepID}},
		Columns: []kit.Column{
			{Name: "id", Key: true, Exported: true},
			{Name: "org_id"},
			{Name: "writer_id", Exported: true},
			{Name: "reader_id", Exported: true},
			{Name: "sent", Kind: kit.Bool, Exported: true},
			{Name: "html_text", Exported: true, Private: true},
			{Name: "labels", Kind: kit.JSON, Exported: true, Private: true},
			{Name: "stamped_at", Kind: kit.Time, Exported: true},
			{Name: "seal", Kind: kit.Bytes},
		},
	}
	got := kit.Exported[letter]("A letter.")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v,\nwant %+v", got, want)
	}
	for i, f := range got.Fields() {
		if f.Column != want.Columns[i].Name {
			t.Errorf("field %d holds the column %s", i, f.Column)
		}
	}
	type line struct {
		ID   int64  `json:"id"`
		Text string `json:"text,omitempty"`
	}
	paged := kit.Paged[line](got, func(context.Context, *export.Scope, string) (export.Page, error) {
		return export.Page{}, nil
	})
	if keys := paged.LineKeys(); !slices.Equal(keys, []string{"id", "text"}) {
		t.Errorf("the keys of a line are %v", keys)
	}
}

func TestProblems(t *testing.T) {
	type row struct {
		baseModel `bun:"table:letters"` //nolint:unused // only its tag counts
		ID        int64                 `bun:",pk" export:"yes,anyone"`
		Text      string                `export:"private"`
		Seal      string
		ReaderID  user.ID `export:"yes"`
		Email     string  `export:"yes"`
		CopyTo    string  `export:"yes" person:"mail"`
	}
	for _, c := range []struct {
		table kit.Table
		want  []string
	}{
		{kit.Exported[row]("A letter."), []string{
			`letters.id has a tag export with "anyone", which is unknown`,
			"letters.seal needs a tag export that begins with yes, private or no",
			"letters.reader_id names a user, and needs a tag person with row, address, id or hook",
			"letters.email names a user, and needs a tag person with row, address, id or hook",
			`letters.copy_to has a tag person with "mail", which is unknown`,
			"letters has private data, but no column marked consent",
		}},
		{kit.NotExported[row]("letters are elsewhere"), []string{
			"letters.reader_id names a user, and needs a tag person with row, address, id or hook",
			"letters.email names a user, and needs a tag person with row, address, id or hook",
			`letters.copy_to has a tag person with "mail", which is unknown`,
		}},
		{kit.NotExported[postage]("postage is paid"),
			[]string{"the type kit_test.postage has no field bun.BaseModel with the table's name"}},
	} {
		if got := c.table.Problems(); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
