// Package emoji manages the custom emoji of an organization. They are shared facts, used by the renderer and by
// reactions: this module maintains the slot emoji.Shared of the view. The image of a deactivated emoji is kept, because
// messages and reactions still refer to it. Uploads are decoded and encoded again (ports.Images); the module images
// stores them.
//
// Queries: it answers emoji.Uploaded. Table: custom_emoji. Events: realm_emoji add, update, update_one.
package emoji
