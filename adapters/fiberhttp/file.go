package fiberhttp

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"reflect"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// fileField is the field of a request struct that takes a file.
type fileField struct {
	index    []int
	what     string // in refusals
	optional bool
}

var fileType = reflect.TypeFor[kit.File]()

// takesFile plans for a field that takes a file; nil for any other.
func takesFile(sf reflect.StructField, index []int) *fileField {
	if sf.Type != fileType && sf.Type != reflect.PointerTo(fileType) {
		return nil
	}
	f := &fileField{index: index, what: sf.Tag.Get("file"), optional: sf.Type.Kind() == reflect.Pointer}
	if f.what == "" {
		f.what = "file"
	}
	return f
}

// taking says what becomes of files in a form. The zero value reads past them.
type taking struct {
	limit  int64 // bytes of one; 0 takes none
	stream bool
	begin  func() // called when one begins
}

func (r *row) taking() taking {
	if r == nil || r.plan == nil || r.plan.file == nil {
		return taking{}
	}
	return taking{limit: r.FileLimit, stream: r.FileLimit > kit.HeldFile}
}

// sentFile is the file of a request.
type sentFile struct {
	name, kind string
	held       []byte
	stream     *streamed
	more       bool // there was another one
}

// take reads a part that is a file, or leaves it to be read: done tells that the form must not be read on.
func (p *params) take(part *multipart.Part, form *multipart.Reader, t taking) (done bool, err error) {
	if t.begin != nil {
		t.begin()
	}
	switch {
	case t.limit == 0 || p.file != nil:
		if p.file != nil {
			p.file.more = true
		}
		_, err = io.Copy(io.Discard, part)
		return false, err
	case t.stream:
		p.file = &sentFile{name: part.FileName(), kind: part.Header.Get("Content-Type"), stream: &streamed{part: part, form: form, left: t.limit, max: t.limit}}
		return true, nil
	}
	held, err := io.ReadAll(io.LimitReader(part, t.limit+1))
	if err == nil && int64(len(held)) > t.limit {
		err = fileTooLarge(t.limit)
	}
	p.file = &sentFile{name: part.FileName(), kind: part.Header.Get("Content-Type"), held: held}
	return false, err
}

// fileTooLarge is the refusal of a file, which people are told in other words than a program is of a body.
func fileTooLarge(limit int64) error {
	return errs.Bad("Uploaded file is larger than the allowed limit of %d MiB", limit>>20)
}

// bindFile fills the field of the struct v. Errors: BadRequest.
func (p *plan) bindFile(v reflect.Value, in *params) error {
	f := p.file
	if f == nil {
		return nil
	}
	u := in.file
	switch {
	case u == nil && f.optional:
		return nil
	case u == nil || u.more:
		return exactlyOne(f.what)
	}
	file := kit.File{Name: u.name, Type: u.kind, Reader: bytes.NewReader(u.held)}
	if u.stream != nil {
		u.stream.what = f.what
		file.Reader = u.stream
	}
	if f.optional {
		v.FieldByIndex(f.index).Set(reflect.ValueOf(&file))
	} else {
		v.FieldByIndex(f.index).Set(reflect.ValueOf(file))
	}
	return nil
}

func exactlyOne(what string) error { return errs.Bad("You must upload exactly one %s.", what) }

// streamed is a file that is read out of the request.
type streamed struct {
	part *multipart.Part
	form *multipart.Reader
	what string
	left int64
	max  int64
	read bool
	err  error // that it has ended with
}

// Read reads on, and at the end of the file makes sure that nothing follows it.
func (s *streamed) Read(b []byte) (int, error) {
	s.read = true
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.part.Read(b)
	if s.left -= int64(n); s.left < 0 {
		s.err = fileTooLarge(s.max)
		return 0, s.err
	}
	switch err {
	case nil:
		return n, nil
	case io.EOF: //nolint:errorlint // a body cut short gives an error that wraps it
		s.err = s.end()
	default:
		s.err = unread(err)
	}
	return n, s.err
}

func (s *streamed) end() error {
	part, err := s.form.NextPart()
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return unread(err)
	case part.FileName() != "":
		return exactlyOne(s.what)
	}
	return errs.Bad("Parameters must come before the file.")
}

// again tells whether the use case may be asked a second time: not when it has read a file that is gone.
func (p *params) again() bool {
	return p == nil || p.file == nil || p.file.stream == nil || !p.file.stream.read
}

// ofFile turns the refusal of a body that is too large into that of the file in it.
func (r *row) ofFile(err error) error {
	var e *errs.Error
	if r != nil && r.FileLimit > 0 && errors.As(err, &e) && e.Code == errs.TooLarge {
		return fileTooLarge(r.FileLimit)
	}
	return err
}
