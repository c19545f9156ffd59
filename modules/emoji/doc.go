// Package emoji manages the custom emoji of an organization.
//
// They are shared facts, which the renderer and reactions use. A deactivated emoji keeps its picture, because messages
// and reactions still refer to it. Uploads are decoded and written anew (ports.Images); the bytes belong to the module
// pictures.
//
// Table: custom_emoji. Event: realm_emoji update.
package emoji
