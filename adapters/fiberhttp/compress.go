package fiberhttp

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/modules/kit"
)

// Limits on responses that are compressed, in bytes. Below the first the time for a round trip matters more, and the
// second bounds the CPU time per response.
const (
	minCompressed = 32 << 10
	maxCompressed = 64 << 20
)

// maxPadding is the maximum number of bytes by which a compressed response is lengthened.
const maxPadding = 128

// compress compresses the parts of a response if its endpoint, its size and the client allow it.
//
// The length of compressed data reveals whether two of its parts are equal (BREACH, CVE-2013-3587). Somebody who reads
// lengths on the network, chooses a part of a response, and makes a victim's browser request it thousands of times can
// therefore guess a secret in it, character by character. So only values that modules have declared to be without
// secrets are compressed, each on its own, so that none refers to the text of another. The rest of these responses,
// such as the tokens of bots, and all other responses, such as messages and pages with a CSRF token, are sent as is.
// Lengths can still reveal whether names within one list are equal. But another site cannot request such a list without
// the page's CSRF token or an API key, and random padding makes guessing by length unreliable.
func (x *request) compress(parts []kit.Span) {
	if x.c == nil || !x.route.Compressed {
		return
	}
	x.res.Header.Add(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	body := x.res.Body()
	if len(body) < minCompressed || len(body) > maxCompressed ||
		!kit.AcceptsCoding(x.header(fiber.HeaderAcceptEncoding), "gzip") {
		return
	}
	if packed := x.s.segments.gzip(body, parts); packed != nil {
		x.res.SetBodyRaw(packed)
		x.res.Header.Set(fiber.HeaderContentEncoding, "gzip")
	}
}

// gzip returns a body in the gzip format (RFC 1952), with its parts compressed and the rest as it is. It returns nil if
// no part could be compressed.
func (c *segments) gzip(body []byte, parts []kit.Span) []byte {
	out := make([]byte, 0, len(body)/4+maxPadding)
	out = append(out, 0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 255) // deflate, a file name, no time, unknown system
	for range rand.IntN(maxPadding + 1) {
		out = append(out, '-') // a file name, which readers skip
	}
	out = append(out, 0)
	from := 0
	for _, p := range parts {
		if segment := c.deflated(body[p.From:p.To]); segment != nil {
			out = append(appendStored(out, body[from:p.From]), segment...)
			from = p.To
		}
	}
	if from == 0 {
		return nil
	}
	out = append(appendStored(out, body[from:]), 1, 0, 0, 0xff, 0xff) // ends with an empty block
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	return binary.LittleEndian.AppendUint32(out, uint32(len(body)))
}

// appendStored appends blocks (RFC 1951) that contain text as it is.
func appendStored(out, text []byte) []byte {
	const most = 1<<16 - 1
	for len(text) > 0 {
		n := min(len(text), most)
		out = append(out, 0, byte(n), byte(n>>8), byte(^n), byte(^n>>8))
		out, text = append(out, text[:n]...), text[n:]
	}
	return out
}
