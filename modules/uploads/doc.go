// Package uploads stores the files that people attach to messages, and gives them to whoever may read such a message.
//
// The bytes are blobs (ports.Blobs), which are not part of a transaction. So upload_blobs notes a blob's key before it is written;
// recording the file takes the key from there, and removing a file puts it back. What is due there is removed from the store, so
// that a failure anywhere leaves nothing that a later run does not find.
//
// internal/files has the parts: service.go (Begin, Create: the one way by which a finished upload becomes a file, also for
// resumable uploads), receive.go (POST /user_uploads), access.go (who reads a file), serve.go (downloads), and the claims:
// messages render with what their sender may read, and a message that is sent, edited or deleted changes the references.
//
// Tables: attachments, attachment_messages (which messages refer to which files), upload_blobs, upload_space (bytes by realm, for
// the quota), upload_secret (signs temporary addresses; no token is stored).
// Events: attachment add, update, remove, to the owner.
package uploads
