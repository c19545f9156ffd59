package fiberhttp

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/page"
)

// navigates reports whether a browser would show the answer by itself: somebody has followed a link to a row at the
// root. The headers are those that only browsers send (Fetch Metadata Request Headers); programs get JSON.
func (x *exchange) navigates() bool {
	if x.c == nil || x.row == nil || !x.row.Root || x.row.Handler != nil {
		return false
	}
	if m := x.c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		return false
	}
	return strings.Contains(x.asked(fiber.HeaderAccept), fiber.MIMETextHTML) &&
		(x.asked("Sec-Fetch-Mode") == "navigate" || x.asked("Sec-Fetch-Dest") == "document")
}

// asPage puts a page in the place of a refusal that a browser would show. The status and the headers for clients stay.
func (x *exchange) asPage(err error) {
	if !x.navigates() {
		return
	}
	text := "The server could not answer."
	var e *errs.Error
	if errors.As(err, &e) && e.Code != errs.Internal {
		text = e.Msg
	}
	for name, value := range page.Headers() {
		x.res.Header.Set(name, value)
	}
	x.res.Header.Add(fiber.HeaderVary, "Accept, Sec-Fetch-Mode, Sec-Fetch-Dest")
	x.res.SetBody(page.Refusal(x.res.StatusCode(), text))
}
