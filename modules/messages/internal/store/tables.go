package store

import "github.com/stoachat/stoa/modules/kit"

// MessageTable declares the table of messages, which is exported.
func MessageTable(doc string) kit.Table { return kit.Exported[row](doc) }

// Tables declares the other tables of this package.
func Tables() []kit.Table {
	const (
		messages = "messages" // the table whose lines contain the others' data
		deleted  = "deleted messages are not exported"
		internal = "internal state of this server"
	)
	return []kit.Table{
		kit.ExportedWithin[conversation](messages),
		kit.ExportedWithin[member](messages),
		kit.ExportedWithin[edit](messages),
		kit.ExportedWithin[reaction](messages),
		kit.ExportedWithin[submessage](messages),
		kit.NotExported[archived](deleted).ByKey(),
		kit.NotExported[Purge](deleted),
		kit.NotExported[Key](internal),
		kit.NotExported[indexed](internal),
		kit.NotExported[searchState](internal),
		kit.NotExported[rendering](internal),
		kit.NotExported[retained](internal),
		kit.NotExported[stretch](internal),
		kit.NotExported[warning](internal),
	}
}
