package twofactor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var base64URL = base64.RawURLEncoding

// Flags of what a device says; see Web Authentication, section 6.1.
const (
	userPresent  = 1
	userVerified = 4
	canBeCopied  = 8
	attested     = 64
)

// device makes passkeys and uses them, as its fields say.
type device struct {
	t       *testing.T
	key     *ecdsa.PrivateKey
	id      []byte
	handle  string // base64url
	rp      string
	origin  string
	flags   byte
	counter uint32
	answers string // "": the challenge of the page
}

func newDevice(t *testing.T, origin string) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &device{t: t, key: key, id: id, rp: u.Hostname(), origin: origin, flags: userPresent | userVerified}
}

// client returns what a browser says about a ceremony.
func (d *device) client(kind, challenge string) []byte {
	text, err := json.Marshal(map[string]any{
		"type": kind, "challenge": challenge, "origin": d.origin, "crossOrigin": false,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// data returns what the device says.
func (d *device) data(flags byte) []byte {
	d.counter++
	sum := sha256.Sum256([]byte(d.rp))
	return binary.BigEndian.AppendUint32(append(sum[:], flags), d.counter)
}

// create answers the options for a new passkey.
func (d *device) create(options string) string {
	d.t.Helper()
	var o struct {
		PublicKey struct {
			Challenge string
			User      struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		d.t.Fatal(err)
	}
	d.handle = o.PublicKey.User.ID
	public, err := d.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		d.t.Fatal(err)
	}
	data := append(d.data(d.flags|attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(d.id))), d.id...)
	data = append(data, "\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"...) // COSE: ES256 on P-256
	data = append(append(data, public[1:33]...), "\x22\x58\x20"...)
	data = append(data, public[33:]...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return d.credential(map[string]any{
		"clientDataJSON":    base64URL.EncodeToString(d.client("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": base64URL.EncodeToString(append(object, data...)),
	})
}

// get answers the options of a page for using a passkey.
func (d *device) get(page answer) string {
	d.t.Helper()
	m := regexp.MustCompile(`"challenge":"([^"]+)"`).FindStringSubmatch(html.UnescapeString(page.body))
	if m == nil {
		d.t.Fatalf("the page does not ask for a passkey: %+v", page)
	}
	challenge := m[1]
	if d.answers != "" {
		challenge = d.answers
	}
	client, data := d.client("webauthn.get", challenge), d.data(d.flags)
	sum := sha256.Sum256(client)
	signed := sha256.Sum256(append(data[:len(data):len(data)], sum[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, signed[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.credential(map[string]any{
		"clientDataJSON": base64URL.EncodeToString(client), "authenticatorData": base64URL.EncodeToString(data),
		"signature": base64URL.EncodeToString(signature), "userHandle": d.handle,
	})
}

func (d *device) credential(response map[string]any) string {
	id := base64URL.EncodeToString(d.id)
	text, err := json.Marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// localhost makes a browser open the server by a name, which passkeys need.
func (b *browser) localhost() *browser {
	b.host = "localhost" + b.s.URL[strings.LastIndex(b.s.URL, ":"):]
	return b
}

// origin returns that of the pages in the browser.
func (b *browser) origin() string { return "http://" + b.host }

// passkey logs somebody in, and adds a passkey of a new device.
func passkey(s server, name string) (*device, *browser) {
	s.T.Helper()
	b := newBrowser(s).localhost()
	if a := b.password(name); a.to != "/" {
		s.T.Fatalf("%s: %+v", name, a)
	}
	d := newDevice(s.T.(*testing.T), b.origin())
	if a := b.add(d); a.status != 200 {
		s.T.Fatalf("%s: %+v", name, a)
	}
	return d, b
}

// add adds a passkey of a device.
func (b *browser) add(d *device) answer {
	b.s.T.Helper()
	var begun struct {
		Step    string
		Options json.RawMessage
	}
	b.call("POST /stoa/second_factor/passkeys/begin", url.Values{}, &begun)
	return b.call("POST /stoa/second_factor/passkeys", url.Values{
		"step": {begun.Step}, "name": {"Laptop"}, "credential": {d.create(string(begun.Options))},
	}, nil)
}

// send sends the answer of a device to a page.
func (b *browser) send(path string, page answer, credential string) answer {
	b.s.T.Helper()
	m := regexp.MustCompile(`name="step" value="([^"]+)"`).FindStringSubmatch(page.body)
	if m == nil {
		b.s.T.Fatalf("%+v", page)
	}
	return b.do("POST "+path, url.Values{"step": {m[1]}, "credential": {credential}})
}
