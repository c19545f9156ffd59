package uploads_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestLastReferenceDeleted checks that a file is deleted at once, as far as anybody can see, with the last message that
// refers to it, however that message is deleted, and that its contents are kept exactly as long as the message is in
// the archive.
func TestLastReferenceDeleted(t *testing.T) {
	for name, remove := range map[string]func(w *testServer, m int64){
		"by its sender":       func(w *testServer, m int64) { w.As("alice").Do("DELETE /messages/" + id(m)).OK() },
		"by an administrator": func(w *testServer, m int64) { w.As("adam").Do("DELETE /messages/" + id(m)).OK() },
		"with its topic": func(w *testServer, _ int64) {
			w.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", w.ChannelID("general")), "topic_name", "t").OK()
		},
		"by the retention policy": func(w *testServer, _ int64) {
			w.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", w.ChannelID("general")), "message_retention_days", "1").OK()
			w.Clock.Advance(25 * time.Hour)
			w.RunJob("messages.retention")
		},
		"with its sender": func(w *testServer, _ int64) {
			w.As("olga").Do("DELETE /users/" + id(int64(w.UserID("alice"))) +
				`?actions={"delete_public_channel_messages":true}`).OK()
			w.RunJob("messages.purges")
			for _, who := range []string{"alice", "bot"} { // alice owns the bot
				w.As("olga").Do("POST /users/" + id(int64(w.UserID(who))) + "/reactivate").OK()
				w.LogIn(who)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.EachDatabase(t, func(t *testing.T, url string) {
				w := start(t, url, "")
				f := w.post("alice", part{name: "a.png", kind: "image/png", content: string(asPNG(t, photo(30, 20)))}).OK().
					String("url")
				kept := w.file("alice", "b.txt", "b")
				m := w.send("alice", "general", "![a]("+f+") [b]("+kept+")")
				w.direct("alice", "bob", "[b]("+kept+")")
				w.RunJob("uploads.thumbnails")
				thumbnail := strings.Replace(f, "/user_uploads/", "/user_uploads/thumbnail/", 1) + "/840x560.webp"
				if a := w.get("bob", thumbnail); a.Status != http.StatusOK {
					t.Fatalf("the thumbnail: %d %s", a.Status, a.Body)
				}
				temporary := w.As("bob").Do("GET " + f).OK().String("url")
				blobs := w.blobs.count.Load()
				w.Skip()
				remove(w, m)
				w.EventsOf("attachment", `attachment/remove user:alice {"attachment":{"id":1},"upload_space_used":1}`,
					`attachment/update user:alice {"id":2,"upload_space_used":1}`)
				w.get("bob", temporary).Error(400, "BAD_REQUEST", "Invalid token")
				w.checkReaders(f)
				w.checkReaders(strings.Replace(f, "/user_uploads/", "/user_uploads/download/", 1))
				w.checkReaders(kept, "alice", "bob")
				w.get("alice", thumbnail).Error(404, "NOT_FOUND", "")
				w.As("alice").Do("GET "+f).Error(404, "NOT_FOUND", "")
				w.As("alice").Do("DELETE /attachments/1").Error(400, "BAD_REQUEST", "Invalid attachment")
				all := w.As("alice").Do("GET /attachments").OK()
				if all.Int("upload_space_used") != 1 || len(all.Get("attachments").([]any)) != 1 {
					t.Errorf("%s", all.Body)
				}
				// A new link does not bring it back, not even for its owner.
				again := w.direct("alice", "bob", "![a]("+f+")")
				w.checkReaders(f)
				w.As("alice").Do("DELETE /messages/" + id(again)).OK()

				w.Clock.Advance(30*24*time.Hour - time.Minute)
				w.RunJob("uploads.remove unused files")
				if n := w.blobs.count.Load(); n != blobs {
					t.Errorf("%d blobs while the message is in the archive, want %d", n, blobs)
				}
				w.Clock.Advance(time.Minute)
				w.RunJob("uploads.remove unused files")
				if n := w.blobs.count.Load(); n != 1 {
					t.Errorf("%d blobs after the message has left the archive, want that of the other file", n)
				}
			})
		})
	}
}

// TestArchivedFileIsRestored checks that moving a row back from the archive restores the file, which then outlives its
// time in the archive, and can be deleted again.
func TestArchivedFileIsRestored(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		f := w.file("alice", "a.txt", "abc")
		do := func(sql string) {
			t.Helper()
			if err := w.Ports.Work.Do(t.Context(), func(ctx context.Context) error {
				_, err := w.App.DB().From(ctx).ExecContext(ctx, sql)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			w.As("alice").Do("DELETE /messages/" + id(w.send("alice", "general", "[a]("+f+")"))).OK()
			w.checkReaders(f)
			const columns = "id, realm_id, owner_id, path_id, name, size, content_type, blob_key, created_at"
			do("INSERT INTO attachments (" + columns + ") SELECT " + columns + " FROM attachment_archive")
			do("UPDATE upload_space SET bytes = 3")
			if a := w.get("alice", f); a.Status != 200 || a.Body != "abc" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		w.Clock.Advance(31 * 24 * time.Hour)
		w.RunJob("uploads.remove unused files")
		w.checkReaders(f, "alice")
		w.As("alice").Do("DELETE /attachments/1").OK()
		if n := w.blobs.count.Load(); n != 0 {
			t.Errorf("%d blobs are left", n)
		}
	})
}

// TestArchiveIsLimited checks that deleted files, which do not count toward the quota, cannot fill the disk: the
// archive keeps at most as many bytes as the quota.
func TestArchiveIsLimited(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		w.setQuota(1)
		post := func() {
			f := w.file("olga", "a.txt", strings.Repeat("x", 600<<10))
			w.As("olga").Do("DELETE /messages/" + id(w.send("olga", "general", "[a]("+f+")"))).OK()
			w.checkReaders(f)
		}
		for range 3 {
			post()
		}
		if n := w.blobs.count.Load(); n != 1 {
			t.Errorf("%d blobs are kept, want 1", n)
		}
		w.Clock.Advance(30 * 24 * time.Hour)
		w.RunJob("uploads.remove unused files")
		post()
		if n := w.blobs.count.Load(); n != 1 {
			t.Errorf("%d blobs are kept, want the newest", n)
		}
	})
}

// TestProfileDeletedWithArchive checks that files in the archive are deleted with their owner's profile.
func TestProfileDeletedWithArchive(t *testing.T) {
	w := start(t, "", "")
	f := w.file("bob", "a.txt", "abc")
	w.As("bob").Do("DELETE /messages/" + id(w.send("bob", "general", "[a]("+f+")"))).OK()
	w.As("olga").Do("DELETE /users/" + id(int64(w.UserID("bob"))) + `?actions={"delete_profile":true}`).OK()
	w.RunJob("uploads.remove unused files")
	if n := w.blobs.count.Load(); n != 0 {
		t.Errorf("%d blobs are left", n)
	}
}
