package archive

import (
	"archive/zip"
	"io"
	"os"

	"github.com/stoachat/stoa/domain/importing"
)

// openZip opens a ZIP file.
func openZip(f *os.File, size int64, l Limits) (*Opened, error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, importing.Unusable("the ZIP file is damaged or incomplete: %v", err)
	}
	b := newBuilder(l)
	for _, file := range z.File {
		info := file.FileInfo()
		if info.IsDir() {
			continue
		}
		if !info.Mode().IsRegular() {
			return nil, importing.Unusable("the archive contains %.200q, which is not a file", file.Name)
		}
		name, ok, err := b.admit(file.Name, int64(file.UncompressedSize64), max(1, int64(file.CompressedSize64)))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		b.files[name] = entry{int64(file.UncompressedSize64), func() (io.ReadCloser, error) {
			r, err := file.Open()
			if err != nil {
				return nil, err
			}
			return &sized{r, name, int64(file.UncompressedSize64)}, nil
		}}
	}
	return b.done()
}
