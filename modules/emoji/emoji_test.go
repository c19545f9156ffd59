package emoji_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/emoji"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, emoji.Module, realm.Module, accounts.Module, imagestore.Module, disk.Module, images.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, emoji: {max_per_realm: 6}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, emoji.Module,
		imagestore.Module, disk.Module, images.Module)
	s.Skip()
	return s
}

func pngOf(w, h int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

func gifOf(frames int) []byte {
	g := gif.GIF{}
	for i := range frames {
		img := image.NewPaletted(image.Rect(0, 0, 20, 20), color.Palette{color.Black, color.White})
		img.Pix[0] = uint8(i % 2)
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 10)
	}
	var b bytes.Buffer
	_ = gif.EncodeAll(&b, &g)
	return b.Bytes()
}

func add(s *kittest.Server, who, name string, content []byte) *kittest.Response {
	s.T.Helper()
	return s.As(who).Upload("POST /realm/emoji/"+name, "picture.png", content)
}

// addEmoji adds an emoji, checks the events and returns the emoji's ID.
func addEmoji(s *kittest.Server, who, name string, content []byte) string {
	s.T.Helper()
	add(s, who, name, content).Is(200, `{"result":"success","msg":""}`)
	s.Events(`realm_emoji/update everyone {}`, `realm_emoji/add everyone {"emoji_id":"*"}`)
	for id, e := range s.As("guest").Do("GET /realm/emoji").OK().Get("emoji").(map[string]any) {
		if e := e.(map[string]any); e["deactivated"] == false &&
			e["name"] == strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "%20"), "%20"), "%20", "_") {
			return id
		}
	}
	s.T.Fatalf("%s does not exist", name)
	return ""
}

// fetched returns the format and size of an image as served to clients without login.
func fetched(s *kittest.Server, path string) string {
	s.T.Helper()
	a := s.Anonymous().Under("").Do("GET " + path)
	if a.Status != 200 {
		s.T.Fatalf("%s: %d", path, a.Status)
	}
	c, kind, err := image.DecodeConfig(strings.NewReader(a.Body))
	if err != nil || a.Header.Get("Content-Type") != "image/"+kind {
		s.T.Fatalf("%s: %v, %s", path, err, a.Header.Get("Content-Type"))
	}
	return fmt.Sprintf("%s %dx%d", kind, c.Width, c.Height)
}

func TestEmoji(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		queue := func(who, capabilities string) func() string {
			q := s.As(who).Register("event_types", `["realm_emoji"]`, "client_capabilities", capabilities)
			kittest.Equal(t, who+" at first", kittest.JSON(q.Start.Get("realm_emoji")), "{}")
			return func() string { t.Helper(); return strings.Join(q.Texts(), "\n") }
		}
		old, current := queue("guest", `{"notification_settings_null":true}`),
			queue("bot", `{"notification_settings_null":true,"individual_emoji_changes":true}`)
		s.As("alice").Do("GET /realm/emoji").Is(200, `{"result":"success","msg":"","emoji":{}}`)

		id := addEmoji(s, "alice", "%20party%20parrot%20", pngOf(300, 100))
		a := s.As("bob").Do("GET /realm/emoji").OK()
		source := a.String("emoji." + id + ".source_url")
		if !strings.HasPrefix(source, "/user_avatars/1/emoji/images/") || !strings.HasSuffix(source, ".png") {
			t.Error(source)
		}
		record := fmt.Sprintf(`{"author_id":%d,"deactivated":false,"id":%q,"name":"party_parrot","source_url":%q,`+
			`"still_url":null}`, s.UserID("alice"), id, source)
		kittest.Equal(t, "record", kittest.JSON(a.Get("emoji."+id)), record)
		kittest.Equal(t, "picture", fetched(s, source), "png 64x64")
		kittest.Equal(t, "old clients", old(),
			fmt.Sprintf(`{"op":"update","realm_emoji":{%q:%s},"type":"realm_emoji"}`, id, record))
		kittest.Equal(t, "current clients", current(), fmt.Sprintf(`{"emoji":%s,"op":"add","type":"realm_emoji"}`, record))

		moving := addEmoji(s, "bot", "moves", gifOf(3))
		a = s.As("bob").Do("GET /realm/emoji").OK()
		kittest.Equal(t, "moving", fetched(s, a.String("emoji."+moving+".source_url")), "gif 64x64")
		kittest.Equal(t, "still", fetched(s, a.String("emoji."+moving+".still_url")), "png 64x64")
		_, _ = old(), current()

		// Only the author and administrators can deactivate an emoji.
		for _, who := range []string{"bob", "mona", "guest"} {
			s.As(who).Do("DELETE /realm/emoji/party_parrot").Error(400, "BAD_REQUEST",
				"Must be an organization administrator or emoji author")
		}
		s.As("adam").Do("DELETE /realm/emoji/nothing").Is(404,
			`{"result":"error","msg":"Emoji 'nothing' does not exist","code":"BAD_REQUEST"}`)
		s.NoEvents()
		s.As("alice").Do("DELETE /realm/emoji/party_parrot").Is(200, `{"result":"success","msg":""}`)
		s.Events(`realm_emoji/update everyone {}`, `realm_emoji/update_one everyone {"emoji_id":"*"}`)
		s.As("adam").Do("DELETE /realm/emoji/moves").OK()
		s.Events(`realm_emoji/update everyone {}`, `realm_emoji/update_one everyone {"emoji_id":"*"}`)
		s.As("alice").Do("DELETE /realm/emoji/party_parrot").Error(404, "BAD_REQUEST", "Emoji 'party_parrot' does not exist")
		kittest.Equal(t, "current clients", current(),
			fmt.Sprintf(`{"data":{"deactivated":true},"emoji_id":%q,"op":"update_one","type":"realm_emoji"}`, id)+"\n"+
				fmt.Sprintf(`{"data":{"deactivated":true},"emoji_id":%q,"op":"update_one","type":"realm_emoji"}`, moving))
		gone := strings.Replace(record, `"deactivated":false`, `"deactivated":true`, 1)
		if last := old(); !strings.Contains(last, gone) {
			t.Errorf("old clients: %s", last)
		}
		again := addEmoji(s, "bob", "party_parrot", pngOf(10, 10)) // the name is free
		if again == id {
			t.Error("the id is not new")
		}
		s.Restart()
		reg := s.As("alice").Do("POST /register", "event_types", `["realm_emoji"]`).OK()
		kittest.Equal(t, "deactivated, after a restart", kittest.JSON(reg.Get("realm_emoji."+id)), gone)
		kittest.Equal(t, "state by register", kittest.JSON(reg.Get("realm_emoji")),
			kittest.JSON(s.As("guest").Do("GET /realm/emoji").OK().Get("emoji")))
		s.Clock.Advance(48 * 3600e9)
		s.RunJob("images.remove unused")
		kittest.Equal(t, "the picture of one that is out of use", fetched(s, source), "png 64x64")

		for i := range 5 { // deactivated emoji do not count
			addEmoji(s, "adam", fmt.Sprintf("more%d", i), pngOf(5, 5))
		}
		add(s, "adam", "toomuch", pngOf(5, 5)).Error(400, "BAD_REQUEST", "Too many custom emoji (limit: 6).")
		s.NoEvents()
	})
}

func TestRefused(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		ok := pngOf(9, 9)
		add(s, "guest", "own", ok).Error(400, "BAD_REQUEST", "Not allowed for guest users")
		s.Anonymous().Upload("POST /realm/emoji/own", "a", ok).Error(401, "UNAUTHORIZED", "Not logged in")
		add(s, "alice", "Upper", ok).Error(400, "BAD_REQUEST", "Emoji names must contain only lowercase English letters")
		add(s, "alice", "x_", ok).Error(400, "BAD_REQUEST", "Emoji names must end with either a letter or digit.")
		add(s, "alice", "%20", ok).Error(400, "BAD_REQUEST", "Emoji name is missing")
		add(s, "alice", "tada", ok).Error(400, "BAD_REQUEST", "Only administrators can override default emoji.")
		add(s, "mona", "tada", ok).Error(400, "BAD_REQUEST", "Only administrators can override default emoji.")
		add(s, "alice", "own", []byte("<svg onload=alert(1)>")).Error(400, "BAD_IMAGE", "Could not decode image")
		add(s, "alice", "own", ok[:len(ok)/2]).Error(400, "BAD_IMAGE", "Could not decode image")
		add(s, "alice", "own", nil).Error(400, "BAD_IMAGE", "Could not decode image")
		add(s, "alice", "own", append(ok, make([]byte, 5<<20)...)).Error(400, "BAD_REQUEST",
			"Uploaded file is larger than the allowed limit of 5 MiB")
		s.As("alice").Do("POST /realm/emoji/own").Error(400, "BAD_REQUEST", "You must specify a file to upload")
		s.As("alice").Send("POST /realm/emoji/own", "multipart/form-data; boundary=b", strings.NewReader(
			"--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n1\r\n"+
				"--b\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b\"\r\n\r\n2\r\n--b--\r\n")).
			Error(400, "BAD_REQUEST", "You must upload exactly one file.")
		s.NoEvents()
		kittest.Equal(t, "made", kittest.JSON(s.As("bob").Do("GET /realm/emoji").OK().Get("emoji")), "{}")

		addEmoji(s, "adam", "tada", ok)
		addEmoji(s, "alice", "own", ok)
		add(s, "bob", "own", ok).Error(400, "BAD_REQUEST", "A custom emoji with this name already exists.")
		add(s, "adam", "tada", ok).Error(400, "BAD_REQUEST", "A custom emoji with this name already exists.")

		// A setting determines who is allowed to add emoji. Guests never are.
		allow := func(value string) {
			t.Helper()
			s.As("olga").Do("PATCH /realm", "can_add_custom_emoji_group", `{"new":`+value+`}`).OK()
			s.Skip()
		}
		allow(fmt.Sprint(group.Administrators))
		add(s, "bob", "own2", ok).Error(400, "BAD_REQUEST", "Insufficient permission")
		s.As("alice").Do("DELETE /realm/emoji/own").OK() // still her emoji
		s.Skip()
		addEmoji(s, "adam", "own2", ok)
		allow(fmt.Sprintf(`{"direct_members":[%d,%d],"direct_subgroups":[]}`, s.UserID("bob"), s.UserID("guest")))
		addEmoji(s, "bob", "own3", ok)
		add(s, "guest", "own4", ok).Error(400, "BAD_REQUEST", "Not allowed for guest users")
		add(s, "adam", "own4", ok).Error(400, "BAD_REQUEST", "Insufficient permission")
		s.NoEvents()
	})
}

// Messages and reactions can use new emoji immediately, and keep them after deactivation.
func TestEmojiInMessages(t *testing.T) {
	s := start(t, "")
	id := addEmoji(s, "alice", "polly", pngOf(9, 9))
	tada := addEmoji(s, "adam", "tada", pngOf(9, 9))
	source := s.As("bob").Do("GET /realm/emoji").OK().String("emoji." + id + ".source_url")
	post := func() int64 {
		t.Helper()
		return s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content",
			"a :polly:").OK().Int("id")
	}
	shows := func(m int64) string {
		t.Helper()
		return s.As("guest").Do(fmt.Sprintf("GET /messages/%d", m), "apply_markdown", "true").OK().String("message.content")
	}
	m := post()
	html := `<p>a <img alt=":polly:" class="emoji" src="` + source + `" title="polly"></p>`
	kittest.Equal(t, "message", shows(m), html)
	react := func(name string) *kittest.Response {
		return s.As("bob").Do(fmt.Sprintf("POST /messages/%d/reactions", m), "emoji_name", name)
	}
	react("polly").OK()
	react("tada").OK()
	got := s.As("alice").Do(fmt.Sprintf("GET /messages/%d", m)).OK()
	kittest.Equal(t, "reaction",
		got.String("message.reactions.0.emoji_code")+got.String("message.reactions.0.reaction_type"), id+"realm_emoji")
	kittest.Equal(t, "instead of a built-in one", got.String("message.reactions.1.emoji_code"), tada)
	s.As("alice").Do("DELETE /realm/emoji/polly").OK()
	// An existing reaction can be repeated.
	s.As("alice").Do(fmt.Sprintf("POST /messages/%d/reactions", m), "emoji_name", "polly", "emoji_code", id,
		"reaction_type", "realm_emoji").OK()
	kittest.Equal(t, "earlier messages", shows(m), html)
	kittest.Equal(t, "new messages", shows(post()), `<p>a :polly:</p>`)
	m = post()
	react("polly").Error(400, "BAD_REQUEST", "Emoji 'polly' does not exist")
}

func TestExtraPicture(t *testing.T) {
	s := start(t, "")
	const prefix = "/static/generated/emoji/images/emoji/unicode/"
	status, header, body := s.Page("GET", prefix+"zulip.png", nil)
	picture, err := png.Decode(strings.NewReader(body))
	if err != nil || header.Get("Content-Type") != "image/png" {
		t.Fatal(status, header, err)
	}
	if size := picture.Bounds().Size(); size.X != size.Y || size.X < 32 {
		t.Errorf("the image has size %v", size)
	}
	if _, _, _, alpha := picture.At(0, 0).RGBA(); alpha != 0 {
		t.Error("the corner is not transparent")
	}
	if status, _, _ := s.Page("GET", prefix+"other.png", nil); status != 404 {
		t.Errorf("another name: %d", status)
	}
}
