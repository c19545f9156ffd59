// Package images stores images that anyone who knows their address may fetch: avatars, custom emoji, icons and logos.
//
// Blobs are not part of a transaction. A row therefore records each image before its blob is written. The user of an
// image claims it in the transaction in which a row first names it, and releases it in the same way. Unclaimed images
// are removed after a while: first the row is marked, which makes claiming fail, then the blob is deleted, then the
// row. A crash in between leaves nothing that the next run does not find.
//
// Table: images. Blobs: pictures/... Ports: it provides ImageStore and uses Blobs.
package images
