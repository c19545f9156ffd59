// Package previews shows previews of linked web pages in messages. A message is sent without previews; a job then reads
// the linked pages (adapters.pages, which refuses addresses of internal networks) and renders the message again.
//
// The content of previews is cached, so that a link posted by many users is read once.
//
// Tables: preview_queue, preview_pages. Events: update_message, with rendering_only.
package previews
