// Package pictures stores pictures that anybody may fetch who knows their address: avatars, custom emoji, icons and
// logos.
//
// Blobs are not part of a transaction. So a row notes each picture before its blob is written; whoever uses the picture
// claims it in the transaction in which a row comes to name it, and releases it in the same way. Unclaimed pictures are
// removed after a while: first the row is marked, which makes claiming fail, then the blob is removed, then the row. A
// server that dies in between leaves nothing that the next run does not find.
//
// Ports: it provides Pictures and uses Blobs. Table: pictures. Blobs: pictures/...
package pictures
