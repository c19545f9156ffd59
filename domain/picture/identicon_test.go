package picture_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/picture"
)

func TestGenerated(t *testing.T) {
	a, b := picture.Generated("1@x.org"), picture.Generated("2@x.org")
	if a == b || a != picture.Generated("1@x.org") || !strings.HasPrefix(a, "/user_avatars/generated/") {
		t.Fatal(a, b)
	}
	pa, ok := picture.Draw(a)
	pb, _ := picture.Draw(b)
	if !ok || bytes.Equal(pa, pb) {
		t.Error("two seeds have the same image")
	}
	for address, side := range map[string]int{a: 100, picture.Medium(a): 500} {
		data, ok := picture.Draw(address)
		if c, err := png.DecodeConfig(bytes.NewReader(data)); !ok || err != nil || c.Width != side || c.Height != side {
			t.Errorf("%s: %+v, %v", address, c, err)
		}
	}
	for _, no := range []string{"", "/user_avatars/generated/", "/user_avatars/generated/x.png", strings.ToUpper(a),
		a + ".png", strings.Replace(a, "generated", "1", 1), picture.Medium(picture.Medium(a)),
		strings.TrimSuffix(a, ".png")} {
		if _, ok := picture.Draw(no); ok {
			t.Errorf("%s is drawn", no)
		}
	}
	if got := picture.Medium("/user_avatars/1/x.png"); got != "/user_avatars/1/x-medium.png" {
		t.Error(got)
	}
}
