// Package backup writes, verifies and restores backups of a whole server: the database, the files and the secret.
//
// A backup is a set of parts in a place: a folder, a bucket or a tar archive. Its format does not depend on the kind of
// database.
//
//	sets/20060102T150405Z/begun           empty; the first part to be written
//	sets/20060102T150405Z/tables/NAME.zst the rows of a table, sorted by its key: a varint with the length of a row, and
//	                                      the row in the form of bunstore.Row; compressed with Zstandard
//	sets/20060102T150405Z/files.zst       a line of JSON per file: its key, its size, and the name of the blob
//	sets/20060102T150405Z/blobs.zst       a line per blob to which the set refers: its name
//	sets/20060102T150405Z/secret          the secret of the server
//	sets/20060102T150405Z/config.yaml     the configuration, with secrets masked
//	sets/20060102T150405Z/manifest.json   a Manifest, with the size and the SHA-256 of each of the other parts
//	sets/20060102T150405Z/complete        the SHA-256 of the manifest; the last part to be written
//	blobs/ID/ID-SHA256                    the content of a file, which all sets in the place share
//
// A blob's name begins with a hash of the file's key, because the file of a key never changes, and ends with the
// SHA-256 of the blob. If the backup is encrypted, age encrypts blobs and parts, and their names end in .age. Whoever
// verifies hashes or deletes sets needs no key: begun, blobs.zst, manifest.json and complete are not encrypted.
//
// Which tables there are follows from the database. Rows of a full-text index are copied like all others; the index
// itself is built by the database into which they are restored.
package backup
