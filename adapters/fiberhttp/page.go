package fiberhttp

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/modules/kit/page"
)

// navigates reports whether a browser will show the response to the user, who has followed a link to a route at the
// root. It checks headers that only browsers send (Fetch Metadata Request Headers); other programs get JSON.
func (x *request) navigates() bool {
	if x.c == nil || x.route == nil || !x.route.Root || x.route.Handler != nil {
		return false
	}
	if m := x.c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		return false
	}
	return strings.Contains(x.header(fiber.HeaderAccept), fiber.MIMETextHTML) &&
		(x.header("Sec-Fetch-Mode") == "navigate" || x.header("Sec-Fetch-Dest") == "document")
}

// asPage replaces an error that a browser would display by an HTML page. It keeps status and headers.
func (x *request) asPage(err error) {
	if !x.navigates() {
		return
	}
	l := language.Choose(language.Accepted(x.header(fiber.HeaderAcceptLanguage))...)
	text := l.T("The server could not process this request.")
	var e *errs.Error
	if errors.As(err, &e) && e.Code != errs.Internal {
		text = e.In(l.T)
	}
	if x.res.StatusCode() >= fiber.StatusInternalServerError { // so that people can tell the operator
		text += " (" + x.id + ")"
	}
	for name, value := range page.Headers() {
		x.res.Header.Set(name, value)
	}
	x.res.Header.Add(fiber.HeaderVary, "Accept, Accept-Language, Sec-Fetch-Mode, Sec-Fetch-Dest")
	x.res.SetBody(page.Refusal(l, x.res.StatusCode(), text))
}
