// Package avatars lets people upload a picture of themselves, and redirects to anybody's picture.
//
// Which picture a person has is a shared fact that the module accounts keeps; the bytes belong to the module pictures.
// Uploads are decoded and written anew (ports.Images), so that nothing but pixels is kept.
//
// It uses ports.Avatars of accounts, Pictures and Images, and has no table.
package avatars
