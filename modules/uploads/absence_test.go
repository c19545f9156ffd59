package uploads_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A file keeps what happened to it while the module was left out: it can be read by those who can read a message that
// was sent or edited meanwhile, and by nobody else, and is not removed.
func TestAbsence(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		sent, edited := w.file("alice", "sent.txt", "a"), w.file("alice", "edited.txt", "b")
		dropped, deleted := w.file("alice", "dropped.txt", "c"), w.file("alice", "deleted.txt", "d")
		old := w.send("alice", "general", "nothing yet")
		had := w.send("alice", "general", "[x]("+dropped+")")
		last := w.send("alice", "general", "[x]("+deleted+")")
		w.Clock.Advance(time.Minute)

		w.RestartWithout("uploads")
		m := w.send("alice", "general", "[sent.txt]("+sent+")")
		w.As("alice").Do("PATCH /messages/"+id(old), "content", "[edited.txt]("+edited+")").OK()
		w.As("alice").Do("PATCH /messages/"+id(had), "content", "no longer").OK()
		w.As("olga").Do("DELETE /messages/" + id(last)).OK()
		w.Clock.Advance(40 * 24 * time.Hour)

		w.Restart()
		w.RunJob("uploads.remove unused files") // waits until the module has caught up
		w.Skip()
		w.RunJob("server.catch up")
		w.EventsOf("attachment",
			`attachment/update user:alice {"id":2,"upload_space_used":4}`,
			`attachment/update user:alice {"id":3,"upload_space_used":4}`,
			`attachment/update user:alice {"id":1,"upload_space_used":4}`,
			`attachment/remove user:alice {"attachment":{"id":4},"upload_space_used":3}`)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(sent, "alice", "bob", "olga", "adam", "guest", "bot")
		w.checkReaders(edited, "alice", "bob", "olga", "adam", "guest", "bot")
		w.checkReaders(dropped, "alice")
		w.checkReaders(deleted)
		w.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			`[["has","attachment"],["id","`+id(m)+`"]]`).OK().Has("messages.0.id")
		w.RunJob("server.catch up") // nothing is left to do
		w.NoEvents()
	})
}
