package cli

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	lines "github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/app/internal/server"
)

type support struct {
	File string `arg:"" placeholder:"FILE.zip" help:"The file to write; it must not exist."`
}

// Help returns the long text of --help.
func (support) Help() string {
	return `Collects what helps others to understand a problem of this server: versions, settings, the results of stoa
doctor, sizes of tables, the last lines of the log, figures and profiles. The file contains IDs, but no messages, names,
addresses or secrets; manifest.txt in it says what each part may reveal. A profile of the processor takes 10 seconds.
What only a running server knows is missing if none runs.`
}

// Run writes the bundle.
func (c support) Run(e *env) (err error) {
	cfg, problems := server.Read(e.sources(), e.Modules)
	o := e.options(e.sources())
	o.Existing = true
	var db *server.Server
	cause := problems
	if cause == nil {
		if db, cause = server.New(e.ctx, o, e.Modules...); cause == nil {
			defer e.end(db)
		}
	}
	f, err := os.OpenFile(c.File, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(c.File)
		}
	}()
	z := zip.NewWriter(f)
	var manifest strings.Builder
	manifest.WriteString("The files of this bundle, and what they may reveal. None contains messages, names of people, " +
		"organizations or\nchannels, addresses or secrets.\n\n")
	for _, p := range server.SupportParts(o, e.Modules, cfg, db, cause) {
		var content bytes.Buffer // so that a file is complete or missing
		if err := p.Write(e.ctx, &content); err != nil {
			if e.ctx.Err() != nil {
				return e.ctx.Err()
			}
			fmt.Fprintf(&manifest, "%s is missing: %s\n", p.Name, lines.Scrub(err.Error()))
			e.printf("%s is missing: %s\n", p.Name, strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		if err := addFile(z, p.Name, content.Bytes()); err != nil {
			return err
		}
		fmt.Fprintf(&manifest, "%s: %s\n", p.Name, p.Reveals)
	}
	if err := errors.Join(addFile(z, "manifest.txt", []byte(manifest.String())), z.Close()); err != nil {
		return fmt.Errorf("write %s: %w", c.File, err)
	}
	e.printf("%s; read manifest.txt in it before you send it to others\n", c.File)
	return nil
}

func addFile(z *zip.Writer, name string, content []byte) error {
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}
