package uploads_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/diskblob"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/uploads"
)

func around() []kit.Module {
	return []kit.Module{realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, diskblob.Module}
}

func TestModule(t *testing.T) { kittest.Check(t, uploads.Module, around()...) }

// file uploads a file and gives its address.
func file(s *kittest.Server, who, name, content string) string {
	s.T.Helper()
	return s.As(who).Upload("POST /user_uploads", name, []byte(content)).OK().Get("url").(string)
}

func get(s *kittest.Server, who, path string) *kittest.Answer {
	s.T.Helper()
	return s.As(who).Under("").Send("GET "+path, "", nil)
}

func TestUpload(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, append(around(), uploads.Module)...)
		a := s.As("alice").Upload("POST /user_uploads", "Bild  (1).png", []byte("not a picture"))
		path := a.OK().Get("url").(string)
		if !strings.HasPrefix(path, "/user_uploads/1/") || !strings.HasSuffix(path, "/Bild-1.png") {
			t.Error(path)
		}
		a.Is(200, `{"result":"success","msg":"","url":"`+path+`","uri":"`+path+`","filename":"Bild  (1).png"}`)
		s.Events(`attachment/add user:alice {"attachment":{"id":1,"name":"Bild  (1).png","path_id":"` + strings.TrimPrefix(path, "/user_uploads/") +
			`","size":13,"create_time":"*","message_ids":[]},"upload_space_used":13}`)
		own := get(s, "alice", path)
		if own.Status != 200 || own.Body != "not a picture" {
			t.Errorf("%d %s", own.Status, own.Body)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/octet-stream", "Content-Length": "13", "Content-Disposition": `attachment; filename="Bild  (1).png"`,
			"X-Content-Type-Options": "nosniff", "Cache-Control": "private, immutable, max-age=31536000", "Accept-Ranges": "bytes",
		} {
			if got := own.Header.Get(name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		for _, who := range []string{"bob", "olga", "guest", "bot"} {
			get(s, who, path).Error(404, "NOT_FOUND", "No such file")
			get(s, who, path+"x").Error(404, "NOT_FOUND", "No such file")
		}
	})
}
