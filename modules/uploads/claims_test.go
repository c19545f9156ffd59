package uploads_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/scheduled"
)

// A file can be read by everyone who can read a message that links to it.
func TestShared(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		public, private, direct := w.file("alice", "a.txt", "a"), w.file("alice", "b.txt", "b"), w.file("alice", "c.txt", "c")
		w.Skip()
		m := w.send("alice", "general", "[a.txt]("+public+")")
		w.EventsOf("attachment", `attachment/update user:alice {"id":1,"upload_space_used":3}`)
		w.send("alice", "secret", "see "+w.URL+private+" there")
		w.direct("alice", "bob", "[c]("+direct+")")
		w.checkReaders(public, "alice", "bob", "olga", "adam", "guest", "bot")
		w.checkReaders(private, "alice", "olga")
		w.checkReaders(direct, "alice", "bob")
		w.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			`[["has","attachment"],["dm","alice@example.com"]]`).
			OK().Has("messages.0.id")
		all := w.As("alice").Do("GET /attachments").OK()
		if n := len(all.Get("attachments").([]any)); n != 3 || all.Int("attachments.0.message_ids.0") != m ||
			all.Int("upload_space_used") != 3 {
			t.Errorf("%s", all.Body)
		}
		// Users who can read a file can share it further.
		w.direct("bob", "guest", "[c]("+direct+")")
		w.checkReaders(direct, "alice", "bob", "guest")
	})
}

// Linking to a file that the sender cannot read does not share it.
func TestLinkToUnreadableFile(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		own := w.post("alice", part{name: "own.mp4", kind: "video/mp4", content: "x"}).OK().String("url")
		a := w.As("bob").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content",
			"[own]("+own+") and ![own]("+own+")").OK()
		w.checkReaders(own, "alice")
		got := w.As("bob").Do("GET /messages/" + id(a.Int("id"))).OK()
		if html := got.String("message.content"); strings.Contains(html, "<video") ||
			!strings.Contains(html, `<a href="`+own+`">own</a>`) {
			t.Error(html)
		}
		none := w.As("bob").Do("POST /messages/render", "content",
			"[own]("+strings.Replace(own, "own", "none", 1)+")").OK().String("rendered")
		if here := w.As("bob").Do("POST /messages/render", "content",
			"[own]("+own+")").OK().String("rendered"); strings.ReplaceAll(none, "none", "own") != here {
			t.Errorf("an existing file is distinguishable:\n%s\n%s", here, none)
		}
		// An edit shares the files that the editor can read at that time.
		w.direct("alice", "bob", "[x]("+own+")")
		w.checkReaders(own, "alice", "bob")
		w.As("bob").Do("PATCH /messages/"+id(a.Int("id")), "content", "now [own]("+own+")").OK()
		w.checkReaders(own, "alice", "bob", "olga", "adam", "guest", "bot")
		html := w.As("bob").Do("GET /messages/" + id(a.Int("id"))).OK().String("message.content")
		if !strings.Contains(html, `<video preload="metadata" src="`+own+`">`) {
			t.Error(html)
		}
	})
}

func TestEditAndDelete(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		one, two := w.file("alice", "1.txt", "one"), w.file("alice", "2.txt", "two")
		m := w.send("alice", "general", one+" [1]("+one+") [2]("+two+")")
		other := w.direct("alice", "bob", "[2]("+two+")")
		w.Skip()
		w.As("alice").Do("PATCH /messages/"+id(m), "content", "nothing").Is(200,
			`{"result":"success","msg":"","detached_uploads":[
			{"id":1,"name":"1.txt","path_id":"`+pathID(one)+`","size":3,"create_time":"*","message_ids":[]}]}`)
		w.EventsOf("attachment", `attachment/update user:alice {"id":1,"upload_space_used":6}`,
			`attachment/update user:alice {"id":2,"upload_space_used":6}`)
		w.checkReaders(one, "alice")
		w.checkReaders(two, "alice", "bob")
		w.As("alice").Do("PATCH /messages/"+id(other), "content", "[2]("+two+") again").Is(200,
			`{"result":"success","msg":"","detached_uploads":[]}`)
		w.EventsOf("attachment")
		w.As("olga").Do("DELETE /messages/"+id(other)).Error(400, "BAD_REQUEST", "")
		w.Skip()
		w.As("alice").Do("DELETE /messages/" + id(other)).OK()

		// A file whose last message was deleted is gone; one whose last link was removed is kept for five weeks.
		w.EventsOf("attachment", `attachment/remove user:alice {"attachment":{"id":2},"upload_space_used":3}`)
		w.checkReaders(two)
		w.Clock.Advance(34 * 24 * time.Hour)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(one, "alice")
		w.Clock.Advance(24 * time.Hour)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(one)
		if w.blobs.count.Load() != 0 {
			t.Errorf("%d blobs are left", w.blobs.count.Load())
		}
	})
}

// A scheduled message keeps its sender's files until it is sent or deleted, and does not share them before.
func TestScheduled(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "", scheduled.Module)
		const weeks = 6 * 7 * 24 * time.Hour
		kept, removed := w.file("alice", "a.txt", "a"), w.file("alice", "b.txt", "b")
		schedule := func(who, content string) string {
			return id(w.As(who).Do("POST /scheduled_messages", "type", "channel", "to", id(int64(w.ChannelID("general"))),
				"topic", "t",
				"content", content, "scheduled_delivery_timestamp",
				id(w.Clock.Now().Add(weeks+time.Hour).Unix())).OK().Int("scheduled_message_id"))
		}
		schedule("alice", "[a]("+kept+")")
		other := schedule("alice", "[b]("+kept+")")
		w.As("alice").Do("PATCH /scheduled_messages/"+other, "content", "[b]("+removed+")").OK()
		schedule("bob", "[b]("+removed+")") // not bob's file
		w.Clock.Advance(weeks)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(kept, "alice")
		w.checkReaders(removed, "alice")
		w.As("alice").Do("DELETE /scheduled_messages/" + other).OK()
		w.Clock.Advance(time.Hour)
		w.RunJob("scheduled.deliver")
		w.checkReaders(kept, "alice", "bob", "olga", "adam", "guest", "bot")
		w.Clock.Advance(weeks)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(kept, "alice", "bob", "olga", "adam", "guest", "bot")
		w.checkReaders(removed)
	})
}

func TestMovedMessage(t *testing.T) {
	w := start(t, "", "")
	f := w.file("alice", "a.txt", "a")
	m := w.send("olga", "general", "nothing")
	w.direct("alice", "olga", "[a]("+f+")")
	w.As("olga").Do("PATCH /messages/"+id(m), "content", "[a]("+f+")").OK()
	w.checkReaders(f, "alice", "bob", "olga", "adam", "guest", "bot")
	w.As("olga").Do("PATCH /messages/"+id(m), "stream_id", id(int64(w.ChannelID("secret")))).OK()
	w.checkReaders(f, "alice", "olga")
}

func TestAttachments(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		f := w.file("alice", "a.txt", "abc")
		w.send("alice", "general", "[a]("+f+")")
		w.Skip()
		for _, who := range []string{"bob", "olga", "guest"} {
			w.As(who).Do("GET /attachments").Is(200, `{"result":"success","msg":"","attachments":[],"upload_space_used":3}`)
			w.As(who).Do("DELETE /attachments/1").Error(400, "BAD_REQUEST", "Invalid attachment")
		}
		w.NoEvents()
		w.As("alice").Do("DELETE /attachments/2").Error(400, "BAD_REQUEST", "Invalid attachment")
		w.As("alice").Do("DELETE /attachments/1").Is(200, `{"result":"success","msg":""}`)
		w.Events(`attachment/remove user:alice {"attachment":{"id":1},"upload_space_used":0}`)
		w.As("alice").Do("DELETE /attachments/1").Error(400, "BAD_REQUEST", "Invalid attachment")
		w.As("alice").Do("GET /attachments").Is(200, `{"result":"success","msg":"","attachments":[],"upload_space_used":0}`)
		w.checkReaders(f)
		if w.blobs.count.Load() != 0 {
			t.Error("the data is still there")
		}
	})
}

// Events contain the messages that link to a file at the time of delivery.
func TestEvents(t *testing.T) {
	w := start(t, "", "")
	q := w.As("alice").Do("POST /register", "event_types", `["attachment"]`).OK()
	other := w.As("bob").Do("POST /register", "event_types", `["attachment"]`).OK()
	f := w.file("alice", "a.txt", "abc")
	m := w.send("alice", "general", "[a]("+f+")")
	events := w.As("alice").Do("GET /events", "queue_id", q.String("queue_id"), "last_event_id", "-1", "dont_block",
		"true").OK()
	want := `{"id":1,"name":"a.txt","path_id":"` + pathID(f) + `","size":3,"create_time":"*","message_ids":`
	events.Is(200, `{"result":"success","msg":"","queue_id":"*","events":[
		{"id":"*","type":"attachment","op":"add","attachment":`+want+`[]},"upload_space_used":3},
		{"id":"*","type":"attachment","op":"update","attachment":`+want+`[`+id(m)+`]},"upload_space_used":3}]}`)
	w.As("bob").Do("GET /events", "queue_id", other.String("queue_id"), "last_event_id", "-1", "dont_block", "true").
		Is(200, `{"result":"success","msg":"","queue_id":"*","events":[]}`)
}

// When a user's data is deleted, the files are deleted immediately with the messages that link to them.
func TestProfileDeleted(t *testing.T) {
	w := start(t, "", "")
	loose, sent := w.file("bob", "a.txt", "abc"), w.file("bob", "b.txt", "b")
	w.send("bob", "general", "[b]("+sent+")")
	w.As("olga").Do("DELETE /users/" + id(int64(w.UserID("bob"))) +
		`?actions={"delete_profile":true,"delete_public_channel_messages":true}`).OK()
	w.RunJob("messages.purges")
	w.RunJob("uploads.remove unused files")
	for _, f := range []string{loose, sent} {
		w.get("olga", f).Error(404, "NOT_FOUND", "")
	}
	if w.blobs.count.Load() != 0 {
		t.Errorf("%d blobs are left", w.blobs.count.Load())
	}
}
