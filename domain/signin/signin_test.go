package signin_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

func TestParseFlow(t *testing.T) {
	pad := strings.Repeat("0a", 32)
	f, err := signin.ParseFlow(url.Values{"next": {"/a"}, "mobile_flow_otp": {strings.ToUpper(pad)}})
	if err != nil || f.Next != "/a" || !bytes.Equal(f.Mobile, bytes.Repeat([]byte{10}, 32)) || f.Desktop != nil {
		t.Errorf("%+v %v", f, err)
	}
	if f, err := signin.ParseFlow(url.Values{"desktop_flow_otp": {pad}}); err != nil || f.Next != "/" ||
		f.Desktop == nil ||
		f.Mobile != nil {
		t.Errorf("%+v %v", f, err)
	}
	for _, q := range []url.Values{
		{"mobile_flow_otp": {""}}, {"mobile_flow_otp": {pad[1:]}},
		{"desktop_flow_otp": {pad + "0a"}}, {"desktop_flow_otp": {"zz" + pad[2:]}},
		{"mobile_flow_otp": {pad}, "desktop_flow_otp": {pad}},
	} {
		if f, err := signin.ParseFlow(q); err == nil {
			t.Errorf("%v is %+v", q, f)
		}
	}
}

// The values were computed by hand: each character of the key XOR the byte of the pad at the same position.
func TestAppAddress(t *testing.T) {
	pad, key := bytes.Repeat([]byte{0x0f}, 32), strings.Repeat("aZ", 16)
	to, err := signin.AppAddress("https://chat.example.com", &user.User{ID: 7, DeliveryEmail: "a+b@example.com"}, key, pad)
	want := "zulip://login?email=a%2Bb%40example.com&otp_encrypted_api_key=" + strings.Repeat("6e55", 16) +
		"&realm=https%3A%2F%2Fchat.example.com&user_id=7"
	if err != nil || to != want {
		t.Errorf("%s %v, want %s", to, err, want)
	}
	if _, err := signin.AppAddress("", &user.User{}, "short", pad); err == nil {
		t.Error("a short key was accepted")
	}
}

func TestCode(t *testing.T) {
	pad := bytes.Repeat([]byte{7}, 32)
	code, err := signin.Code("token", pad)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(code)
	if err != nil || len(sealed) != 12+len("token")+16 {
		t.Fatalf("%s %v", code, err)
	}
	block, err := aes.NewCipher(pad)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := gcm.Open(nil, sealed[:12], sealed[12:], nil); err != nil || string(token) != "token" {
		t.Errorf("%q %v", token, err)
	}
}
