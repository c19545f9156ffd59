// Package uploads stores the files that users attach to messages, and serves them to everyone with access to such a
// message.
//
// File contents are blobs (ports.Blobs), which are not part of a transaction. The table upload_blobs therefore records
// a blob's key before the blob is written. Creating the file removes the key from that table, and deleting the file
// adds it again. A job deletes the blobs whose keys remain in the table for too long, so no failure leaves an orphaned
// blob.
//
// In internal/files, service.go contains Begin and Create, the only way to turn a finished upload into a file,
// including resumable uploads; receive.go handles POST /user_uploads; access.go checks which users can read a file and
// which files a message can use; serve.go and temporary.go handle downloads; claims.go stores references from messages;
// attachments.go lists the caller's files and contains delete, the only way to delete a file; archive.go keeps the
// files of deleted messages; sweep.go contains the jobs and deletes the files of deleted realms.
//
// A file can be read by its owner and by everyone with access to a message that refers to it. A message refers to the
// files linked in its text that its sender can read when it is sent or edited; a link to any other file grants no
// access to it. Access is checked on each request, so moving messages or changing channels requires no updates here.
//
// References and files change only under the realm's lock. A file that loses its last reference in an edit is kept for
// keep_unused. A file whose last message is deleted, by a person or by the retention policy, is deleted at once: it is
// missing for its owner, too, and no longer counts toward the quota. Its row moves to attachment_archive, and its blob
// remains, as long as the message is in the archive, so that a restore can move the row back; not if the owner's
// profile has been deleted, or if the archive already holds as many bytes as the quota.
//
// internal/thumbnails makes thumbnails of uploaded images (ports.Images) and serves them. internal/tus receives files
// in several requests. Such an upload reserves its full size in the organization's quota from its start until it is
// complete, canceled or expired. The size of a plain upload is not known in advance, so the quota is checked when the
// file is created. The quota is shared (domain/quota): a member, with all of the member's bots, can use 40 % of it,
// members together 80 %, and administrators 90 %; the rest is kept for owners.
//
// Tables: attachments; attachment_archive; attachment_messages and attachment_scheduled (references from messages and
// scheduled messages); upload_blobs; upload_space (bytes per realm, for the quota); upload_thumbnails (images whose
// thumbnails must be made); upload_secret (signs temporary URLs; no token is stored); resumable_uploads and
// resumable_parts (uploads in several requests).
//
// Ports: provides Files to mailin, and FileImport to imports.
//
// Events: attachment add, update, remove, to the owner.
package uploads
