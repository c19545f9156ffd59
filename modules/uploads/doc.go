// Package uploads stores the files that people attach to messages, and gives them to whoever may read such a message.
//
// The bytes are blobs (ports.Blobs), which are not part of a transaction. So upload_blobs notes a blob's key before it is written;
// recording the file takes the key from there, and removing a file puts it back. What is due there is removed from the store, so
// that a failure anywhere leaves nothing that a later run does not find.
//
// internal/files has the parts: service.go (Begin and Create: the one way by which a finished upload becomes a file, also for
// resumable uploads), receive.go (POST /user_uploads), access.go (who reads a file, and what messages may use), serve.go and
// temporary.go (downloads), claims.go (what messages refer to), attachments.go (the owner's list; discard is the one way by which a
// file is removed), sweep.go (jobs, deleted realms).
//
// A file is read by its owner, and by whoever may read a message that refers to it. A message refers to the files that its text
// names and that its sender may read when it is sent or edited; naming any other file shares it with nobody. Access is judged at
// each request, so moves and changes of channels need nothing here.
//
// References and files change under the realm's lock only. A file that loses its last reference stays for keep_unused after an
// edit, as long as the message is in the archive after a deletion, and not at all once its owner's profile is deleted.
//
// internal/thumbnails makes smaller pictures of images after they were uploaded (ports.Images), and serves them. internal/tus receives
// files in several requests.
//
// Tables: attachments; attachment_messages and attachment_scheduled (which messages, and which scheduled ones, refer
// to which files); upload_blobs; upload_space (bytes by realm, for the quota); upload_thumbnails (images whose
// thumbnails are due); upload_secret (signs temporary addresses; no token is stored); resumable_uploads and
// resumable_parts (uploads in several requests). Events: attachment add, update, remove, to the owner.
package uploads
