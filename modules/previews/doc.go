// Package previews shows in messages what the linked pages say about themselves. A message is sent without previews; a
// job then reads its pages (adapters.pages, which refuses addresses of internal networks) and has it rendered again.
//
// What a page said is kept for some time, so that a link that many people post is read once.
//
// Tables: preview_queue, preview_pages. Previews appear by update_message events that change the rendering only.
package previews
