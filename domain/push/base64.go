package push

import (
	"encoding/base64"
	"errors"
	"strings"
)

// DecodeBase64 decodes standard base64 exactly as defined by RFC 4648: with padding, and without characters outside of
// the alphabet. The decoder of encoding/base64, even in strict mode, ignores line breaks.
func DecodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("base64 contains a line break")
	}
	return base64.StdEncoding.Strict().DecodeString(text)
}
