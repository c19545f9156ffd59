// Package exports writes archives of an organization, for administrators who want to keep its contents or to leave.
//
// A job writes an archive in parts. Each part is a blob with one gzip member that holds complete entries of a tar file,
// so that the concatenated parts form a tar.gz, and no more than a page of rows is in memory. After each part the row
// of the export records where the next one begins, so that an interrupted job continues from there. A part that fails
// is retried with growing delays until the export is marked as failed. README.md documents the format.
//
// The modules that own the data declare what the archive contains (kit.Export), column by column. domain/export decides
// about rows: data visible to all members is in every export; private data, messages in private channels and direct
// messages are included only if a user whose data it is, or who can read the messages, allows it
// (allow_private_data_export). The rows are read page by page while the organization is in use, so an archive is not a
// consistent snapshot.
//
// Administrators start, list, download and delete exports; only owners may download exports made without consent. An
// archive is deleted after a time, and with the organization.
//
// Tables: exports; export_parts (blobs, recorded before they are written). Blobs: exports/...
//
// Events: realm_export (the whole list) and realm_export_consent, to administrators.
package exports
