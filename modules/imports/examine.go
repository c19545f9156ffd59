package imports

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
	"github.com/stoachat/stoa/modules/kit"
)

type examineFlags struct {
	Format  string `arg:"" placeholder:"PROGRAM" help:"The program that wrote the archive: mattermost, slack, stoa or zulip."`
	Archive string `arg:"" type:"path" placeholder:"ARCHIVE" help:"The archive, a file or a folder."`
	Team    string `placeholder:"NAME" help:"The team, workspace or organization, if the archive contains several."`
}

// report is the output of the commands.
type report struct {
	Counts     []importing.Count     `json:"counts"`
	Reasons    []importing.Reason    `json:"reasons"`
	Notes      []string              `json:"notes"`
	Collisions []importing.Collision `json:"collisions"`
}

func reportOf(r *importing.Report) report {
	return report{r.Counts(), r.Reasons(), r.Notes(), r.Collisions()}
}

// examine reads an archive and reports what is in it. Errors: Invalid for an archive that cannot be imported, or an
// unknown program.
func (s *service) examine(ctx context.Context, _ kit.Actor, in examineFlags) (report, error) {
	var names []string
	for _, f := range formats() {
		if f.Name == in.Format {
			return s.read(ctx, f, in)
		}
		names = append(names, f.Name)
	}
	return report{}, errs.New(errs.Invalid, "There is no program %q; want %s", in.Format, strings.Join(names, " or "))
}

func (s *service) read(ctx context.Context, f importing.Format, in examineFlags) (_ report, err error) {
	scratch, err := os.MkdirTemp("", "stoa-import-")
	if err != nil {
		return report{}, err
	}
	defer func() { err = refusal(errors.Join(err, os.RemoveAll(scratch))) }()
	a, err := archive.Open(in.Archive, scratch, archive.Defaults())
	if err != nil {
		return report{}, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	r := importing.NewReport()
	source, err := f.Open(ctx, importing.Input{
		Archive: a, Options: importing.Options{Workspace: in.Team}, Report: r, Now: s.Clock.Now(), EmojiCode: s.Emoji.Code,
	})
	if err != nil {
		return report{}, err
	}
	if err := count(ctx, source, r); err != nil {
		return report{}, err
	}
	return reportOf(r), nil
}

// count counts the records that a source passes on; it counts the others itself.
func count(ctx context.Context, source importing.Source, r *importing.Report) error {
	d, err := source.Scan(ctx)
	if err != nil {
		return err
	}
	for _, x := range d.People {
		r.Passed(importing.People, x.Loss)
	}
	for _, x := range d.Groups {
		r.Passed(importing.Groups, x.Loss)
	}
	for _, x := range d.Channels {
		r.Passed(importing.Channels, x.Loss)
	}
	for _, x := range d.Subscriptions {
		r.Passed(importing.Subscriptions, x.Loss)
	}
	for _, x := range d.Emoji {
		r.Passed(importing.Emojis, x.Loss)
	}
	err = source.Files(ctx, func(f *importing.File) error {
		r.Passed(importing.Files, f.Loss)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return source.Messages(ctx, counter{ctx, r})
}

// counter counts messages.
type counter struct {
	ctx context.Context
	r   *importing.Report
}

func (c counter) Message(m *importing.Message) error {
	c.r.Passed(importing.Messages, m.Loss)
	for range m.Reactions {
		c.r.Passed(importing.Reactions, nil)
	}
	return c.ctx.Err()
}

func (c counter) State(*importing.State) error { return c.ctx.Err() }

// String prints the report as text.
func (r report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s %10s %10s %10s %10s", "", "COMPLETE", "WITH LOSS", "LEFT OUT", "MALFORMED")
	for _, c := range r.Counts {
		fmt.Fprintf(&b, "\n%-20s %10d %10d %10d %10d", c.Kind, c.Imported, c.Converted, c.Skipped, c.Refused)
	}
	for _, w := range r.Reasons {
		fmt.Fprintf(&b, "\n\n%s %s, %d: %s", w.Kind, w.Outcome, w.Count, w.Reason)
		for _, e := range w.Examples {
			fmt.Fprintf(&b, "\n    %s", e)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n\n%s", n)
	}
	if len(r.Collisions) > 0 {
		b.WriteString("\n\nTo give these another name here, use --rename KEY=NAME:")
	}
	for _, c := range r.Collisions {
		fmt.Fprintf(&b, "\n    %s, %s: %q", c.Key, c.Kind, c.Here)
	}
	return b.String()
}

// refusal returns the error for an archive that cannot be imported as one that ends the command with its sentence.
func refusal(err error) error {
	if importing.IsUnusable(err) {
		return errs.New(errs.Invalid, "%v", err)
	}
	return err
}
