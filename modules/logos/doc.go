// Package logos lets administrators upload the organization's icon, and its logos for light and dark pages.
//
// Which one is in use is a shared fact that the module realm keeps; the bytes belong to the module pictures. Uploads
// are decoded and written anew (ports.Images). It has no table.
package logos
