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

// fileField is the field of a request struct that receives a file.
type fileField struct {
	index    []int
	label    string // names the file in error messages
	optional bool
}

var fileType = reflect.TypeFor[kit.File]()

// takesFile returns a fileField for a field of type kit.File, or nil for other fields.
func takesFile(sf reflect.StructField, index []int) *fileField {
	if sf.Type != fileType && sf.Type != reflect.PointerTo(fileType) {
		return nil
	}
	f := &fileField{index: index, label: sf.Tag.Get("file"), optional: sf.Type.Kind() == reflect.Pointer}
	if f.label == "" {
		f.label = "file"
	}
	return f
}

// fileOptions determines how files in a form are handled. The zero value discards them.
type fileOptions struct {
	limit  int64 // bytes per file; 0: no files
	stream bool
	begin  func() // called when a file begins
}

func (r *route) fileOptions() fileOptions {
	if r == nil || r.binder == nil || r.binder.file == nil {
		return fileOptions{}
	}
	return fileOptions{limit: r.FileLimit, stream: r.FileLimit > kit.MaxBufferedFile}
}

// formFile is the file in a request.
type formFile struct {
	name, contentType string
	data              []byte
	stream            *streamed
	multiple          bool // the form contains more than one file
}

// readFile reads a file part, or leaves it to be streamed. If done is true, the form must not be read further.
func (p *params) readFile(part *multipart.Part, form *multipart.Reader, t fileOptions) (done bool, err error) {
	if t.begin != nil {
		t.begin()
	}
	switch {
	case t.limit == 0 || p.file != nil:
		if p.file != nil {
			p.file.multiple = true
		}
		_, err = io.Copy(io.Discard, part)
		return false, err
	case t.stream:
		p.file = &formFile{name: part.FileName(), contentType: part.Header.Get("Content-Type"),
			stream: &streamed{part: part, form: form, left: t.limit, max: t.limit}}
		return true, nil
	}
	data, err := io.ReadAll(io.LimitReader(part, t.limit+1))
	if err == nil && int64(len(data)) > t.limit {
		err = fileTooLarge(t.limit)
	}
	p.file = &formFile{name: part.FileName(), contentType: part.Header.Get("Content-Type"), data: data}
	return false, err
}

// fileTooLarge returns the error for a file that is too large, worded for users.
func fileTooLarge(limit int64) error {
	return errs.Bad("Uploaded file is larger than the allowed limit of %d MiB", limit>>20)
}

// bindFile fills the file field of the struct v. Errors: BadRequest.
func (p *binder) bindFile(v reflect.Value, in *params) error {
	f := p.file
	if f == nil {
		return nil
	}
	u := in.file
	switch {
	case u == nil && f.optional:
		return nil
	case u == nil:
		return errs.Bad("You must specify a file to upload")
	case u.multiple:
		return exactlyOne(f.label)
	}
	file := kit.File{Name: u.name, Type: u.contentType, Reader: bytes.NewReader(u.data)}
	if u.stream != nil {
		u.stream.label = f.label
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

// streamed is a file that is read from the request on demand.
type streamed struct {
	part  *multipart.Part
	form  *multipart.Reader
	label string
	left  int64
	max   int64
	read  bool
	err   error // the final result of Read
}

// Read implements io.Reader. At the end of the file, it verifies that nothing else follows.
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
		s.err = bodyError(err)
	}
	return n, s.err
}

func (s *streamed) end() error {
	part, err := s.form.NextPart()
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return bodyError(err)
	case part.FileName() != "":
		return exactlyOne(s.label)
	}
	return errs.Bad("Parameters must come before the file.")
}

// canRepeat reports whether the use case may run again, which is impossible once it has read a streamed file.
func (p *params) canRepeat() bool {
	return p == nil || p.file == nil || p.file.stream == nil || !p.file.stream.read
}

// asFileError replaces the error for a large body by the one for a large file.
func (r *route) asFileError(err error) error {
	var e *errs.Error
	if r != nil && r.FileLimit > 0 && errors.As(err, &e) && e.Code == errs.TooLarge {
		return fileTooLarge(r.FileLimit)
	}
	return err
}
