// Package exports writes archives of an organization: for administrators who want to keep what is in it, or to leave.
//
// A job writes an archive in parts, each a blob that is a gzip member with whole entries of a tar file. So the parts,
// one after the other, are a tar.gz, and no more than a page of rows is in memory. After each part the row of the
// export says where the next one begins: a server that was killed goes on from there. A part that could not be
// written is tried again, later each time, until the export has failed. README.md documents the format.
//
// What is in the archive is declared by the modules that keep it (kit.Export), column by column. Which rows are in it
// is decided by domain/export: data that all members can see is in every export; private data, messages in private
// channels and direct messages are in it only if a person whose data it is, or who can read the messages, allows it
// (allow_private_data_export). The rows are read page by page while the organization is used, so an archive is not a
// snapshot of one moment.
//
// Administrators start, list, download and delete exports; what was exported without consent is downloaded by owners
// only. An archive is deleted after a time, and with the organization.
//
// Tables: exports; export_parts (the blobs, noted before they are written). Blobs: exports/... Events: realm_export,
// the whole list, and realm_export_consent, to administrators.
package exports
