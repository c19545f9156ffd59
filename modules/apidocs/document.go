package apidocs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// encoding is a form of the document.
type encoding string

const (
	asJSON encoding = "json"
	asYAML encoding = "yaml"
)

// documents are the forms of the document. Each is made once, for the first request: what modules declare does not
// change while the server runs.
type documents struct {
	mu    sync.Mutex
	files map[string]*file
}

// file is a form of the document.
type file struct {
	as           encoding
	text, packed []byte
	tag          string
}

func (s *service) file(profile string, as encoding) (*file, error) {
	if profile != "" && profile != "strings" {
		return nil, unknownProfile(profile)
	}
	s.made.mu.Lock()
	defer s.made.mu.Unlock()
	key := profile + "." + string(as)
	if f := s.made.files[key]; f != nil {
		return f, nil
	}
	f, err := s.make(profile == "strings", as)
	if err != nil {
		return nil, err
	}
	if s.made.files == nil {
		s.made.files = map[string]*file{}
	}
	s.made.files[key] = f
	return f, nil
}

func (s *service) make(asStrings bool, as encoding) (*file, error) {
	d := openapi.New(openapi.Source{
		Modules: s.Collected, Version: string(s.Version), URL: s.Site.URL(), Strings: asStrings,
	})
	render := d.JSON
	if as == asYAML {
		render = d.YAML
	}
	text, err := render()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &file{as: as, text: text, packed: packed.Bytes(), tag: hex.EncodeToString(sum[:8])}, nil
}

// download returns the response that contains the file. If it is public, caches and other sites may have it.
func (f *file) download(compressed, public bool) *kit.Download {
	text, tag := f.text, f.tag
	header := map[string]string{"Cache-Control": "private, max-age=60", "Vary": "Accept-Encoding"}
	if public {
		header["Cache-Control"], header["Access-Control-Allow-Origin"] = "public, max-age=60", "*"
	}
	if compressed {
		text, tag = f.packed, f.tag+"-gzip"
		header["Content-Encoding"] = "gzip"
	}
	return &kit.Download{
		Name: "openapi." + string(f.as), Type: "application/" + string(f.as), Inline: true, Size: int64(len(text)),
		ETag: tag, Header: header,
		Open: func(_ context.Context, from, n int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text[from : from+n])), nil
		},
	}
}
