// Package imports imports organizations from the archives of other programs, and from Stoa's own exports:
//
//	stoa import slack ARCHIVE.zip --realm NAME
//
// README.md says how to import from each program. stoa import examine only reads an archive, and needs no database.
//
// The source of a program (internal/mattermost, internal/slack, internal/stoa, internal/zulip) reads its archive and
// passes on the records of domain/importing, whose package comment explains how a source is written; it is added to the
// list in commands.go. internal/archive opens archives without trusting them. internal/engine does the rest, for all
// sources: it orders messages by time with bounded memory, and writes everything in transactions that each record the
// keys of what they have written. The same command therefore continues an import that was interrupted, changes nothing
// after one that was completed, and adds what is new in a later archive.
//
// The organization is deactivated while it is imported, and cannot be reactivated before the import is complete. It can
// be deleted. Nobody is notified of anything. An existing organization into which an archive is imported
// (engine/into.go) is closed in the same way, and can be opened again without what is missing.
//
// Rows of other modules' tables are inserted as their declarations describe them (kit.Table, kit.Imported), with new
// IDs. Messages are written by ports.MessageImport, files by ports.FileImport.
//
// downloads.go and internal/fetch download what archives of Slack link to, by ports.Downloads, which the adapter for
// webhooks implements.
//
// owners.go contains the routes for owners, who upload an archive in parts, which are blobs (parts.go). A job checks
// and imports it (work.go). Only an owner of the root organization can, since an import creates another one, and it
// never continues one that something else has created.
//
// forget.go deletes the record of what was imported, when no later archive is expected. letters.go limits how often
// links are mailed.
//
// Tables: import_runs, import_keys; import_jobs and import_parts (archives of owners; blobs, recorded before they are
// written); import_letters (when links were mailed). Blobs: imports/...
package imports
