// Package logos lets administrators upload the organization's icon and its logos for light and dark themes.
//
// The module realm stores the addresses of the images as shared facts; the module images stores the images. Uploads are
// decoded and encoded again (ports.Images).
//
// Tables: none.
package logos
