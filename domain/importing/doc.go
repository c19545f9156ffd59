// Package importing describes what an import of an organization consists of, independently of the program whose archive
// is read: the records, the rules for converting them, and the report. It does no I/O. The module imports contains the
// sources and the engine that writes what they read.
//
// # Writing a source
//
// A source reads the archive of one program and describes it as records. Its Format is listed in the module imports:
//
//	var Format = importing.Format{Name: "slack", Doc: "...", Open: open}
//
//	func open(ctx context.Context, in importing.Input) (importing.Source, error)
//
// Open inspects the archive: the kind of its files, whether they are complete, and whether this version is understood.
// It returns an error only for what makes the archive as a whole unusable (Unusable), with a sentence that says which
// archive is needed. Once Open has succeeded, nothing that the archive contains ends the import: each record is
// counted exactly once in Input.Report as imported, converted, skipped or refused.
//
// Source.Scan returns everything but messages and files: people, channels, groups, subscriptions. It is kept in memory.
// Source.Files and Source.Messages call a function for each record, in any order, and keep nothing per message. All
// methods may be called again, by the same or by another process that resumes the import, and must then return the
// same records with the same keys.
//
// A Key identifies a record among those of its kind in the source, forever: the same record in a newer archive must
// have the same key, because records whose keys are known are not imported again. Use the IDs of the source.
//
// The source is responsible for what only it can know: the meaning of fields, and the conversion of texts to Markdown.
// The engine does what is the same for all sources: it merges people with one address, makes names valid and unique,
// adds placeholders for people who are in no list, derives the owner, cleans and splits texts, checks times, orders
// messages by time, and writes. Text that names other records contains references (Mention, ChannelLink, TopicLink,
// MessageLink, FileLink), which the engine replaces by what they are called here. Clean text with CleanText before
// adding references to it.
//
// Counting: call Report.Count with an Outcome and a reason for each record that the source does not pass on. For those
// that it passes on, set Loss if something is lost; the engine counts them.
//
// A source has no database and no network unless Input.Fetch is set, opens files only through Input.Archive, and treats
// their content as hostile: Decoder reads JSON with limits on depth and size.
package importing
