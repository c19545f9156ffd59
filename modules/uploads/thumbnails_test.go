package uploads_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/stoachat/stoa/adapters/images/imagetest"
	"github.com/stoachat/stoa/app/kittest"
)

// photo returns an image that is red on the left and blue on the right.
func photo(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 0xff, A: 0xff}
			if x >= w/2 {
				c = color.NRGBA{B: 0xff, A: 0xff}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func asPNG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func uploadImage(s *testServer, name, kind string, content []byte) string {
	s.T.Helper()
	return s.As("alice").UploadAs("POST /user_uploads", name, kind, content).OK().Get("url").(string)
}

func hasThumbnail(s *testServer, who, path string) *kittest.Response {
	s.T.Helper()
	return s.As(who).Do("GET /thumbnail/status" + strings.TrimPrefix(path, "/user_uploads"))
}

func thumbnail(path, format string) string {
	return strings.Replace(path, "/user_uploads/", "/user_uploads/thumbnail/", 1) + "/" + format
}

func TestThumbnails(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		path := uploadImage(s, "p.png", "image/png", asPNG(t, photo(1200, 400)))
		hasThumbnail(s, "alice", path).Is(200, `{"result":"success","msg":"","has_thumbnail":false}`)
		m := s.direct("alice", "olga", "[p]("+path+")")
		shows := func(want string) {
			t.Helper()
			if html := s.As("olga").Do("GET /messages/" + id(m)).OK().String("message.content"); !strings.Contains(html, want) {
				t.Errorf("%q is missing from %s", want, html)
			}
		}
		shows(`src="/static/images/loading/loader-black.svg"`)
		shows(`data-original-dimensions="1200x400"`)
		s.Skip()
		s.RunJob("uploads.thumbnails")
		shows(`src="` + thumbnail(path, "840x560.webp") + `"`)
		rendered := 0
		for _, e := range s.Log() {
			if e.Type == "update_message" {
				rendered++
			}
		}
		s.Skip()
		s.Clock.Advance(2 * time.Minute)
		s.RunJob("uploads.thumbnails") // re-renders the messages, which changes nothing
		s.NoEvents()
		if rendered != 1 {
			t.Errorf("%d events", rendered)
		}
		hasThumbnail(s, "olga", path).Is(200, `{"result":"success","msg":"","has_thumbnail":true}`)
		hasThumbnail(s, "bob", path).Error(404, "NOT_FOUND", "No such file")
		for _, format := range []string{"840x560.webp", "840x560-anim.webp", "100x75.jpg"} { // served in the closest format
			a := s.get("alice", thumbnail(path, format))
			img, err := webp.Decode(strings.NewReader(a.Body))
			if a.Status != 200 || err != nil || img.Bounds().Dx() != 840 || img.Bounds().Dy() != 280 ||
				a.Header.Get("Content-Type") != "image/webp" {
				t.Errorf("%s: %d %v %v", format, a.Status, err, a.Header)
			}
		}
		for _, format := range []string{"840x560", "840x560.webp/x", "x.webp", "-1x5.webp", "../p.png"} {
			s.get("alice", thumbnail(path, format)).Error(404, "NOT_FOUND", "No such file")
		}
		s.get("bob", thumbnail(path, "840x560.webp")).Error(404, "NOT_FOUND", "No such file")
	})
}

// A thumbnail requested before its job has run is created immediately. Files that are not images have none.
func TestThumbnailOnRequest(t *testing.T) {
	s := start(t, "", "")
	path := uploadImage(s, "p.png", "image/png", asPNG(t, photo(30, 20)))
	if a := s.get("alice", thumbnail(path, "840x560.webp")); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	s.RunJob("uploads.thumbnails")
	hasThumbnail(s, "alice", path).Is(200, `{"result":"success","msg":"","has_thumbnail":true}`)
	for name, content := range map[string][]byte{
		"no.png": []byte("no image"), "cut.png": asPNG(t, photo(300, 200))[:200],
		"page.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
	} {
		path := uploadImage(s, name, "image/png", content)
		s.RunJob("uploads.thumbnails")
		hasThumbnail(s, "alice", path).Is(200, `{"result":"success","msg":"","has_thumbnail":false}`)
		s.get("alice", thumbnail(path, "840x560.webp")).Error(404, "NOT_FOUND", "No such file")
	}
}

// Animations have two thumbnails; images that browsers cannot show have a large one.
func TestThumbnailFormats(t *testing.T) {
	s := start(t, "", "")
	var b bytes.Buffer
	first, second := image.NewPaletted(image.Rect(0, 0, 60, 40), palette.Plan9),
		image.NewPaletted(image.Rect(0, 0, 60, 40), palette.Plan9)
	for i := range second.Pix {
		second.Pix[i] = 200
	}
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{5, 5}}); err != nil {
		t.Fatal(err)
	}
	moving := uploadImage(s, "m.gif", "image/gif", b.Bytes())
	b.Reset()
	if err := tiff.Encode(&b, photo(900, 1200), nil); err != nil {
		t.Fatal(err)
	}
	scan := uploadImage(s, "scan.tiff", "image/tiff", b.Bytes())
	s.RunJob("uploads.thumbnails")
	for path, want := range map[string]string{
		thumbnail(moving, "840x560-anim.webp"): "ANIM", thumbnail(moving, "840x560.webp"): "VP8 ",
		thumbnail(scan, "3024x4032.webp"): "VP8 ",
	} {
		if a := s.get("alice", path); a.Status != 200 || !strings.Contains(a.Body[:40], want) {
			t.Errorf("%s: %d %.40q", path, a.Status, a.Body)
		}
	}
	large, err := webp.DecodeConfig(strings.NewReader(s.get("alice", thumbnail(scan, "3024x4032.webp")).Body))
	if err != nil || large.Width != 900 || large.Height != 1200 {
		t.Errorf("%+v, %v", large, err)
	}
	if a := s.Anonymous().Under("").Send("GET /static/images/loading/loader-black.svg", "", nil); a.Status != 200 ||
		!strings.HasPrefix(a.Body, "<svg") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Images are not marked as broken when the store fails: their thumbnails are created after the outage, no matter how
// long it lasts.
func TestThumbnailsAfterOutage(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		path := uploadImage(s, "p.png", "image/png", asPNG(t, photo(30, 20)))
		s.blobs.down.Store(true)
		for range 6 {
			if err := s.App.RunJob(t.Context(), "uploads.thumbnails"); err == nil {
				t.Error("no error")
			}
			s.Clock.Advance(6 * time.Minute)
		}
		s.blobs.down.Store(false)
		s.RunJob("uploads.thumbnails")
		hasThumbnail(s, "alice", path).Is(200, `{"result":"success","msg":"","has_thumbnail":true}`)
	})
}

// An image is decoded once, however many users request its thumbnail concurrently.
func TestConcurrentThumbnailRequests(t *testing.T) {
	s := start(t, "", "")
	path := uploadImage(s, "p.png", "image/png", asPNG(t, photo(300, 200)))
	before := s.blobs.count.Load()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if a := s.get("alice", thumbnail(path, "840x560.webp")); a.Status != 200 {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	all.Wait()
	if n := s.blobs.count.Load() - before; n != 1 {
		t.Errorf("it was created %d times", n)
	}
}

// The job alternates between the owners of images, so that no one has to wait for all images of another user.
func TestThumbnailsAlternate(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		send := func(from string) int64 {
			a := s.As(from).UploadAs("POST /user_uploads", "p.png", "image/png", asPNG(t, photo(30, 20)))
			return s.direct(from, "olga", "[p]("+a.OK().String("url")+")")
		}
		a1, a2, a3 := send("alice"), send("alice"), send("alice")
		b1, b2 := send("bob"), send("bob")
		s.Skip()
		s.RunJob("uploads.thumbnails")
		var order []string
		for _, e := range s.Log() {
			if e.Type == "update_message" {
				order = append(order, string(e.Payload))
			}
		}
		for i, m := range []int64{a1, b1, a2, b2, a3} {
			if want := fmt.Sprintf(`"ids":[%d]`, m); i >= len(order) || !strings.Contains(order[i], want) {
				t.Errorf("%d: %q, want %s", i, order, want)
			}
		}
	})
}

// Decoding an image that would take minutes is aborted. The image is shown as a link, and other images get thumbnails.
func TestThumbnailOfBomb(t *testing.T) {
	s := start(t, "", "adapters: {images: {use: go, timeout: 1s}}")
	bomb := uploadImage(s, "bomb.heic", "image/heic", imagetest.Bomb(t))
	m := s.direct("alice", "olga", "[bomb]("+bomb+")")
	a := s.As("bob").UploadAs("POST /user_uploads", "p.png", "image/png", asPNG(t, photo(30, 20))).OK()
	s.RunJob("uploads.thumbnails")
	hasThumbnail(s, "alice", bomb).Is(200, `{"result":"success","msg":"","has_thumbnail":false}`)
	hasThumbnail(s, "bob", a.String("url")).Is(200, `{"result":"success","msg":"","has_thumbnail":true}`)
	html := s.As("olga").Do("GET /messages/" + id(m)).OK().String("message.content")
	if want := `<p><a href="` + bomb + `">bomb</a></p>`; html != want {
		t.Errorf("%s, want %s", html, want)
	}
	s.get("olga", thumbnail(bomb, "840x560.webp")).Error(404, "NOT_FOUND", "No such file")
	if a := s.get("olga", bomb); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
