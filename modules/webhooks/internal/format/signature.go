package format

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // some services sign with it
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"
)

// signature describes how a service signs requests: with an HMAC of the body, or by sending the secret itself.
type signature struct {
	Header   string `yaml:"header"`
	Hash     string `yaml:"hash"`     // sha256 (default), sha1, sha512, or none: the header is the secret
	Encoding string `yaml:"encoding"` // hex (default) or base64
	Prefix   string `yaml:"prefix"`   // before the signature
	Part     string `yaml:"part"`     // name of the signature if the header is a list such as t=1,v1=abc
	// Signed is the signed text (default {body}); {header:NAME} and {part:NAME} are replaced too.
	Signed string `yaml:"signed"`
}

func (s signature) verifier() (func(Request, string) bool, error) {
	var kind func() hash.Hash
	switch s.Hash {
	case "", "sha256":
		kind = sha256.New
	case "sha1":
		kind = sha1.New
	case "sha512":
		kind = sha512.New
	case "none":
	default:
		return nil, fmt.Errorf("signature: unknown hash %q", s.Hash)
	}
	encode := hex.EncodeToString
	switch s.Encoding {
	case "", "hex":
	case "base64":
		encode = base64.StdEncoding.EncodeToString
	default:
		return nil, fmt.Errorf("signature: unknown encoding %q", s.Encoding)
	}
	if s.Header == "" {
		return nil, errors.New("signature: header is required")
	}
	return func(r Request, secret string) bool {
		got := r.header(s.Header)
		if s.Part != "" {
			got = listed(got, s.Part)
		}
		want := secret
		if kind != nil {
			m := hmac.New(kind, []byte(secret))
			m.Write([]byte(s.text(r)))
			want = encode(m.Sum(nil))
		}
		return subtle.ConstantTimeCompare([]byte(got), []byte(s.Prefix+want)) == 1
	}, nil
}

// text returns the text that is signed.
func (s signature) text(r Request) string {
	if s.Signed == "" {
		return string(r.Body)
	}
	var b strings.Builder
	for rest := s.Signed; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		switch kind, of, _ := strings.Cut(name, ":"); kind {
		case "body":
			b.Write(r.Body)
		case "header":
			b.WriteString(r.header(of))
		case "part":
			b.WriteString(listed(r.header(s.Header), of))
		}
	}
	return b.String()
}

// listed returns a value of a header such as t=1,v1=abc.
func listed(header, name string) string {
	for part := range strings.SplitSeq(header, ",") {
		if key, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok && key == name {
			return value
		}
	}
	return ""
}
