// Package avatars lets users upload a picture of themselves, and redirects to users' pictures.
//
// The module accounts stores the address of each user's picture as a shared fact; the module images stores the images.
// Uploads are decoded and encoded again (ports.Images), which removes everything but the pixels.
//
// Tables: none. Ports: it uses UserSettings of accounts, ImageStore and Images.
package avatars
