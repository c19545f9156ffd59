package inbound

import (
	"strings"
	"unicode/utf8"

	_ "github.com/emersion/go-message/charset" // decodes texts that are not in UTF-8
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// validText returns a text in UTF-8, without null bytes. Texts whose character set is unknown or wrong are most likely
// in Windows-1252.
func validText(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	if !utf8.ValidString(text) {
		if isASCIIElsewhere(text) {
			text, _ = charmap.Windows1252.NewDecoder().String(text) // decodes every byte
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && r < 0xA0: // control characters: the text was Windows-1252 and declared as ISO 8859-1
			return charmap.Windows1252.DecodeByte(byte(r))
		case r >= lessThan && r <= endMark: // used during the conversion
			return -1
		}
		return r
	}, strings.TrimPrefix(text, "\uFEFF"))
}

// isASCIIElsewhere reports whether a text has no characters beyond ASCII that are valid in UTF-8.
func isASCIIElsewhere(text string) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if size > 1 && r != utf8.RuneError {
			return false
		}
		text = text[size:]
	}
	return true
}

// decodePage returns HTML in UTF-8. If the email does not declare its character set, the page may.
func decodePage(page []byte, declared bool) []byte {
	if !declared {
		e, name, _ := charset.DetermineEncoding(page, "")
		if name != "utf-8" && (name != "windows-1252" || !utf8.Valid(page)) {
			if decoded, err := e.NewDecoder().Bytes(page); err == nil {
				page = decoded
			}
		}
	}
	return []byte(validText(string(page)))
}
