package fiberhttp

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// param is a parameter as sent by the client, copied out of Fiber's buffers.
type param struct {
	name, value string
	path        bool
	form        bool
	null        bool // was null in a JSON body
}

// params holds a request's parameters: those in the path, and a list of those in the query followed by those in the
// body, whatever the method.
type params struct {
	path    []param
	list    []param
	session string // name of the CSRF token's parameter in session requests
	max     int
	limits  limits // for JSON bodies
	file    *formFile
	raw     kit.Body // for routes that receive the whole body
}

func (p *params) inPath(name string) bool {
	for i := range p.path {
		if p.path[i].name == name {
			return true
		}
	}
	return false
}

// first returns the value of the first parameter with the given name.
func (p *params) first(name string) string {
	for i := range p.list {
		if p.list[i].name == name {
			return p.list[i].value
		}
	}
	return ""
}

// inForm returns the value of the first parameter with the given name in the body.
func (p *params) inForm(name string) string {
	for i := range p.list {
		if p.list[i].form && p.list[i].name == name {
			return p.list[i].value
		}
	}
	return ""
}

func (p *params) add(name, value string, form bool) error {
	if len(p.list) >= p.max {
		return errs.Bad("Too many parameters; at most %d are accepted.", p.max)
	}
	if !utf8.ValidString(name) {
		return errs.Bad("The name of a parameter is not valid UTF-8.")
	}
	if !utf8.ValidString(value) {
		return errs.Bad("Argument %q is not valid UTF-8.", name)
	}
	if p.list == nil {
		p.list = make([]param, 0, min(p.max, 8))
	}
	p.list = append(p.list, param{name: name, value: value, form: form})
	return nil
}

// urlencoded adds the parameters of a query string or form.
func (p *params) urlencoded(s string, form bool) error {
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err := errors.Join(err1, err2); err != nil {
			return errs.Bad("A parameter is not correctly URL-encoded.").Because(err)
		}
		if err := p.add(n, v, form); err != nil {
			return err
		}
	}
	return nil
}

// body adds the fields of a form, including its file if the route accepts one, or the members of a JSON object. A body
// of another type is an error only if wanted is true, and is ignored otherwise. Errors: TooLarge, BadRequest.
func (p *params) body(contentType string, b *body, t fileOptions, wanted bool) error {
	if b.empty() {
		return nil
	}
	var kind string
	var attrs map[string]string
	if contentType != "" {
		var err error
		if kind, attrs, err = mime.ParseMediaType(contentType); err != nil {
			return errs.Bad("The Content-Type header can't be read.").Because(err)
		}
	}
	if t.limit == 0 {
		return p.fields(kind, attrs["boundary"], b, t, wanted)
	}
	// The route's limit applies to the file. Everything before it is held in memory.
	routeLimit, inFile := b.limit, false
	b.limit = min(routeLimit, b.read+kit.DefaultBodyLimit)
	t.begin = func() { b.limit, inFile = routeLimit, true }
	err := p.fields(kind, attrs["boundary"], b, t, wanted)
	if errs.Is(err, errs.TooLarge) && !inFile {
		err = errs.Bad("The parameters are too large; at most %d bytes are accepted beside the file.", kit.DefaultBodyLimit)
	}
	return err
}

func (p *params) fields(kind, boundary string, b *body, t fileOptions, wanted bool) error {
	switch kind {
	case "application/json":
		return p.json(b)
	case "application/x-www-form-urlencoded":
		all, err := io.ReadAll(b)
		if err != nil {
			return bodyError(err)
		}
		return p.urlencoded(string(all), true)
	case "multipart/form-data":
		return p.multipart(multipart.NewReader(b, boundary), t)
	}
	if !wanted {
		return nil
	}
	switch _, err := io.ReadFull(b, make([]byte, 1)); {
	case err == io.EOF: // not a wrapped error: a chunked body without content
		return nil
	case err != nil:
		return bodyError(err)
	case kind == "":
		return errs.Bad("The request body has no Content-Type; " + readTypes)
	}
	return errs.Bad("Request bodies of type %q are not supported; "+readTypes, kind)
}

const readTypes = "send parameters as application/x-www-form-urlencoded, multipart/form-data or application/json."

// readWhole reads the body for a route that receives all of it. The route checks the body, so errors in a form only end
// its parameters. Errors: TooLarge, BadRequest.
func (p *params) readWhole(contentType string, b *body) error {
	all, err := io.ReadAll(b)
	if err != nil {
		return bodyError(err)
	}
	p.raw.Bytes = all
	kind, attrs, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil //nolint:nilerr // some senders omit the type or send a wrong one; the route checks the bytes
	}
	switch p.raw.Type = kind; kind {
	case "application/x-www-form-urlencoded":
		if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(all, []byte("\ufeff"))), []byte("{")) {
			return nil // JSON sent by curl, which declares everything as a form
		}
		_ = p.urlencoded(string(all), true)
	case "multipart/form-data":
		_ = p.multipart(multipart.NewReader(bytes.NewReader(all), attrs["boundary"]), fileOptions{})
	}
	return nil
}

func (p *params) multipart(r *multipart.Reader, t fileOptions) error {
	for parts := 0; ; parts++ {
		part, err := r.NextPart()
		if err == io.EOF { //nolint:errorlint // a truncated body gives an error that wraps it
			return nil
		}
		if err != nil {
			return bodyError(err)
		}
		if parts >= p.max {
			return errs.Bad("Too many parameters; at most %d are accepted.", p.max)
		}
		name, file := part.FormName(), part.FileName() != ""
		if file || name == "" {
			done := false
			if file {
				done, err = p.readFile(part, r, t)
			} else {
				_, err = io.Copy(io.Discard, part)
			}
			if err != nil {
				return bodyError(err)
			}
			if done {
				return nil
			}
			continue
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return bodyError(err)
		}
		if err := p.add(name, string(value), true); err != nil {
			return err
		}
	}
}

// bodyError returns the error for a body that could not be read to its end.
func bodyError(err error) error {
	var refusal *errs.Error
	if errors.As(err, &refusal) {
		return refusal
	}
	bad := errs.Bad("The request body can't be read.")
	if network := net.Error(nil); errors.As(err, &network) {
		return bad.Because(err)
	}
	return bad // a parser's error may quote the body, which must not be logged
}
