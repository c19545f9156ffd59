package kit

import (
	"fmt"
	"io/fs"
	"path"
)

// WebPart is a module's addition to the web client; see Web.
type WebPart struct {
	Files  fs.FS  // nil: no addition
	Script string // the path of the script in Files
	Style  string // the path of the style sheet in Files; "": none
}

// maxWebPart is the maximum total size of a module's files, in bytes.
const maxWebPart = 8 << 20

// Web returns a module's addition to the web client. The client loads the script, an ES module, for all logged-in
// users; modules/web/ui/README.md describes its exports. The style sheet applies only to elements that the script
// renders. All files are public, and their URLs change with their contents.
func Web(files fs.FS, script, style string) (WebPart, error) {
	part := WebPart{Files: files, Script: script, Style: style}
	for name, ext := range map[string]string{script: ".js", style: ".css"} {
		if name == "" && ext == ".css" {
			continue
		}
		if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() || path.Ext(name) != ext {
			return WebPart{}, fmt.Errorf("addition to the web client: %q is not a %s file", name, ext)
		}
	}
	var size int64
	err := fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err == nil && size > maxWebPart {
		err = fmt.Errorf("addition to the web client: %d bytes exceed the limit of %d", size, maxWebPart)
	}
	return part, err
}
