package store

import "github.com/stoachat/stoa/modules/kit"

// Internal is why tables without data of users are not exported.
const Internal = "internal state of this server"

// AttachmentTable declares the table of uploaded files, which is exported.
func AttachmentTable(doc string) kit.Table { return kit.Exported[row](doc) }

// Tables declares the other tables.
func Tables() []kit.Table {
	return []kit.Table{
		kit.ExportedWithin[Ref]("attachments"),
		archiveTable(),
		kit.NotExported[ScheduledRef]("derived from the texts of scheduled messages"),
		kit.NotExported[ThumbnailJob]("thumbnails can be recreated"),
		kit.NotExported[blobRow](Internal),
		kit.NotExported[spaceRow](Internal),
		kit.NotExported[Resumable](Internal),
		kit.NotExported[Part](Internal),
	}
}

// archiveTable declares the archive. Its rows have no type of their own: they are those of attachments, except for the
// time until which they are kept.
func archiveTable() kit.Table {
	t := kit.NotExported[row]("deleted files are not exported")
	t.Name = "attachment_archive"
	for i := range t.Columns {
		if t.Columns[i].Name == "unused_until" {
			t.Columns[i].Name = "kept_until"
		}
	}
	return t
}
