// Package uploads stores the files that users attach to messages, and serves them to everyone who may read such a
// message.
//
// The bytes are blobs (ports.Blobs), which are not part of a transaction. The table upload_blobs therefore records a
// blob's key before the blob is written; recording the file removes the key, and removing the file puts it back. A job
// removes the blobs whose time in that table is over, so no failure leaves an unreachable blob.
//
// internal/files contains the parts: service.go (Begin and Create, the only way a finished upload becomes a file, also
// for resumable uploads), receive.go (POST /user_uploads), access.go (who may read a file, and which files a message
// may use), serve.go and temporary.go (downloads), claims.go (references from messages), attachments.go (the owner's
// list; discard is the only way to remove a file), sweep.go (jobs, deleted realms).
//
// A file may be read by its owner and by everyone who may read a message that refers to it. A message refers to the
// files named in its text that its sender may read when it is sent or edited; naming any other file shares it with no
// one. Access is checked on each request, so moving messages or changing channels needs no work here.
//
// References and files change only under the realm's lock. A file that loses its last reference stays for keep_unused
// after an edit, as long as the message is in the archive after a deletion, and goes immediately if its owner's profile
// was deleted.
//
// internal/thumbnails makes thumbnails of uploaded images (ports.Images) and serves them. internal/tus receives files
// in several requests. Such an upload reserves its full size of the organization's quota when it begins, until it is
// complete or canceled, or expires. A plain upload, whose size is not known before, is checked when it is recorded.
//
// Tables: attachments; attachment_messages and attachment_scheduled (references from messages and scheduled messages);
// upload_blobs; upload_space (bytes per realm, for the quota); upload_thumbnails (images whose thumbnails are due);
// upload_secret (signs temporary URLs; no token is stored); resumable_uploads and resumable_parts (uploads in several
// requests).
//
// Events: attachment add, update, remove, to the owner.
package uploads
