// Package avatars lets users upload a picture of themselves, and redirects to users' pictures.
//
// The module accounts stores which picture a user has, as a shared fact; the module images stores the bytes. Uploads
// are decoded and encoded again (ports.Images), so that only pixels are kept.
//
// Tables: none. Ports: it uses Avatars of accounts, ImageStore and Images.
package avatars
