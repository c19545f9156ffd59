// Package images stores avatars, custom emoji, icons and logos. Anyone who has the address of an image can fetch it.
//
// Blobs are not part of a transaction. A row therefore records each image before its blob is written. A module claims
// an image in the transaction that first stores its address, and releases it in the transaction that removes the
// address. Unclaimed images are deleted after a while: the row is marked first, so that the image can no longer be
// claimed; then the blob is deleted, and finally the row. If the server crashes in between, the next run completes the
// deletion.
//
// Table: images. Blobs: pictures/... Ports: it provides ImageStore and uses Blobs.
package images
