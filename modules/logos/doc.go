// Package logos lets administrators upload the organization's icon and its logos for light and dark themes.
//
// The module realm stores which images are in use, as a shared fact; the module images stores the bytes. Uploads are
// decoded and encoded again (ports.Images).
//
// Tables: none.
package logos
