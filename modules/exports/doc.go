// Package exports writes archives of an organization, for administrators who want to preserve its contents or move to
// another server.
//
// A job writes an archive in parts. Each part is a blob with one gzip member that contains complete entries of a tar
// file, so that the concatenated parts form a tar.gz, and at most one page of rows is in memory. After each part, the
// row of the export records where the next one begins, so that an interrupted job continues from there. A part that
// fails is retried at growing intervals until the export is marked as failed. README.md documents the format.
//
// The modules that own the data declare which columns an archive contains (kit.Table). domain/export decides which
// rows it contains. Data that all members can see is always included. A user's private data is included only if the
// user consents (allow_private_data_export). Messages in private channels and direct messages are included only if a
// user who can read them consents. The rows are read page by page while the organization is in use, so an archive is
// not a consistent snapshot.
//
// Administrators start, list, download and delete exports. Only owners can download exports made without consent.
// Archives are deleted after Config.Keep, and with the organization.
//
// Tables: exports; export_parts (blobs, recorded before they are written). Blobs: exports/...
//
// Events: realm_export (the whole list) and realm_export_consent, to administrators.
package exports
