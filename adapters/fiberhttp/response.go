package fiberhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

const contentJSON = "application/json; charset=utf-8"

// checkRes rejects result types that cannot be merged into a response.
func checkRes(t reflect.Type) error {
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	switch base.Kind() {
	case reflect.Struct, reflect.Map, reflect.Interface:
		return nil
	case reflect.Slice:
		if t.Implements(reflect.TypeFor[json.Marshaler]()) {
			return nil
		}
	}
	return fmt.Errorf("%v must be a struct or a map, to be merged with result and msg", t)
}

// redirect sends a redirect, which must not be cached, since targets may change.
func (x *request) redirect(r kit.Redirect) {
	to := r.To
	if query := x.c.Request().URI().QueryString(); r.Query && len(query) > 0 {
		sep := "?"
		if strings.Contains(to, "?") {
			sep = "&"
		}
		to += sep + string(query)
	}
	x.res.Header.Set(fiber.HeaderLocation, to)
	x.res.Header.Set(fiber.HeaderCacheControl, "private, no-cache")
	x.res.SetStatusCode(fiber.StatusFound)
}

// success writes the fields of res together with result, msg and the names of unused parameters. The status is always
// 200. It returns where the body's compressible values are.
func success(r *fasthttp.Response, res any, ignored []string) ([]kit.Span, error) {
	if w, ok := res.(*kit.Wait); ok && w == nil {
		return nil, errors.New("the result is a nil *kit.Wait")
	}
	out := &splice{r: r, ignored: ignored}
	if w, ok := res.(interface{ Msg() string }); ok {
		out.msg = w.Msg()
	}
	if err := encode(out, res); err != nil {
		r.ResetBody()
		return nil, fmt.Errorf("encode the response: %w", err)
	}
	r.Header.SetContentType(contentJSON)
	r.SetStatusCode(fiber.StatusOK)
	return out.parts, nil
}

func encode(out *splice, res any) error {
	if e, ok := res.(kit.Encoded); ok {
		return out.appendEncoded(e)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(res)
}

// splice adds the common fields of all responses to an encoded object. The encoder calls Write once, at the end.
type splice struct {
	r       *fasthttp.Response
	msg     string
	ignored []string
	parts   []kit.Span // the compressible values
}

func (s *splice) Write(b []byte) (int, error) {
	fields, ok := bytes.CutPrefix(bytes.TrimSpace(b), []byte("{"))
	if !ok && !bytes.Equal(fields, []byte("null")) {
		return 0, fmt.Errorf("not a JSON object: %.20s", b)
	}
	if s.msg == "" {
		s.r.AppendBodyString(beginning + `""`)
	} else {
		s.r.AppendBody(s.begin())
	}
	if ok && fields[0] != '}' {
		s.r.AppendBodyString(",")
		s.r.AppendBody(fields[:len(fields)-1])
	}
	if len(s.ignored) == 0 {
		s.r.AppendBodyString("}")
	} else {
		s.r.AppendBody(s.end())
	}
	return len(b), nil
}

// beginning is the beginning of all responses to successful requests; the message follows.
const beginning = `{"result":"success","msg":`

// appendEncoded has a large result append its own encoding, which saves a copy.
func (s *splice) appendEncoded(e kit.Encoded) error {
	end := s.end()
	b := s.begin()
	at := len(b)
	b = slices.Grow(b, e.Size()+len(end))
	var err error
	if o, is := e.(kit.Object); is {
		b, s.parts, err = o.AppendParts(b)
	} else {
		b, err = e.AppendJSON(b)
	}
	if err != nil {
		return err
	}
	switch fields := b[at:]; {
	case bytes.Equal(fields, []byte("null")), bytes.Equal(fields, []byte("{}")):
		b = b[:at]
	case !bytes.HasPrefix(fields, []byte("{")):
		return fmt.Errorf("not a JSON object: %.20s", fields)
	default:
		fields[0] = ','
		b = b[:len(b)-1]
	}
	s.r.SetBodyRaw(append(b, end...))
	return nil
}

func (s *splice) begin() []byte {
	return append([]byte(beginning), encoded(s.msg)...)
}

func (s *splice) end() []byte {
	if len(s.ignored) == 0 {
		return []byte("}")
	}
	return append(append([]byte(`,"ignored_parameters_unsupported":`), encoded(s.ignored)...), '}')
}

// failure writes an error with exactly the keys documented for its code, since strict clients reject others. It never
// reveals the cause.
func failure(r *fasthttp.Response, e *errs.Error, session bool) {
	status := kit.StatusOf(e.Code)
	if e.Gone {
		status = fiber.StatusNotFound
	}
	h := &r.Header
	switch status {
	case fiber.StatusUnauthorized:
		switch {
		case e.Code != errs.Unauthorized:
		case session:
			h.Set(fiber.HeaderWWWAuthenticate, `Session realm="zulip"`)
		default:
			h.Set(fiber.HeaderWWWAuthenticate, `Basic realm="zulip"`)
		}
	case fiber.StatusServiceUnavailable:
		h.Set(fiber.HeaderRetryAfter, "1")
		if e.Code == errs.Maintenance {
			h.Set(fiber.HeaderRetryAfter, maintenanceRetry)
		}
	case fiber.StatusTooManyRequests:
		if s, ok := e.Extra["retry-after"].(float64); ok {
			h.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(s+0.999)))
		}
	}
	write(r, status, e)
}

// plain writes an error for a request that reached no use case.
func plain(r *fasthttp.Response, status int, msg string) {
	code := errs.BadRequest
	if status >= 500 {
		code = errs.Internal
	}
	write(r, status, errs.New(code, "%s", msg))
}

func notAllowed(r *fasthttp.Response, allowed []string) {
	write(r, fiber.StatusMethodNotAllowed, errs.New(errs.MethodNotAllowed, "Method Not Allowed").With("allowed_methods",
		allowed))
}

func write(r *fasthttp.Response, status int, e *errs.Error) {
	var b bytes.Buffer
	b.WriteString(`{"result":"error","msg":`)
	b.Write(encoded(e.Msg))
	b.WriteString(`,"code":`)
	b.Write(encoded(string(e.Code)))
	keys := make([]string, 0, len(e.Extra))
	for k := range e.Extra {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		b.WriteByte(',')
		b.Write(encoded(k))
		b.WriteByte(':')
		b.Write(encoded(e.Extra[k]))
	}
	b.WriteByte('}')
	r.SetStatusCode(status)
	r.Header.SetContentType(contentJSON)
	r.SetBody(b.Bytes())
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
