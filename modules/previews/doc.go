// Package previews shows previews of linked web pages in messages. A message is sent without previews; a job then reads
// the linked pages (adapters.pages, which rejects addresses of internal networks) and renders the message again.
//
// Previews are cached, so that a page that many users link to is read once.
//
// Tables: preview_queue, preview_pages. Events: update_message, with rendering_only.
package previews
