package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/imports/internal/archive"
	"github.com/stoachat/stoa/modules/imports/internal/engine"
	"github.com/stoachat/stoa/modules/imports/internal/mattermost"
	"github.com/stoachat/stoa/modules/imports/internal/slack"
	"github.com/stoachat/stoa/modules/imports/internal/stoa"
	"github.com/stoachat/stoa/modules/imports/internal/zulip"
	"github.com/stoachat/stoa/modules/kit"
)

// formats lists the archives that can be imported.
func formats() []importing.Format {
	return []importing.Format{mattermost.Format, slack.Format, stoa.Format, zulip.Format}
}

// flags are the flags of the commands.
type flags struct {
	Archive     string   `arg:"" type:"path" placeholder:"ARCHIVE" help:"The archive: a file or a folder on the server."`
	Realm       string   `placeholder:"NAME" help:"Subdomain of the organization, which is created, or was by an earlier run; by default the organization without one."`
	Name        string   `placeholder:"NAME" help:"Name of the organization; by default that in the archive."`
	OwnerEmail  string   `name:"owner-email" placeholder:"ADDRESS" help:"Who owns the organization if the archive names no owner."`
	EmailDomain string   `name:"email-domain" placeholder:"DOMAIN" help:"Domain of the addresses of people without one."`
	Since       string   `placeholder:"DATE" help:"Only messages from this day on, as 2006-01-02."`
	Until       string   `placeholder:"DATE" help:"Only messages before this day, as 2006-01-02."`
	Channels    []string `placeholder:"NAME" help:"Only messages in these channels."`
	NoDirect    bool     `name:"no-direct" help:"Leave out direct messages."`
	NoFiles     bool     `name:"no-files" help:"Leave out files."`
	DryRun      bool     `name:"dry-run" help:"Read everything, write nothing, and print the report."`
}

// Validate checks the flags.
func (f flags) Validate() error {
	_, err := f.options()
	return err
}

func (f flags) options() (importing.Options, error) {
	o := importing.Options{EmailDomain: f.EmailDomain, Channels: f.Channels, NoDirect: f.NoDirect, NoFiles: f.NoFiles}
	for _, d := range []struct {
		name, text string
		to         *time.Time
	}{{"since", f.Since, &o.Since}, {"until", f.Until, &o.Until}} {
		if d.text == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, d.text)
		if err != nil {
			return o, fmt.Errorf("--%s: want a day as 2006-01-02", d.name)
		}
		*d.to = at
	}
	return o, nil
}

func (s *service) commands() []kit.Command {
	all := []kit.Command{
		kit.NewCommand("import examine", s.examine,
			"Report what an archive of another program contains, and what an import of it would lose.").
			OfServer().WithoutDatabase(),
	}
	for _, f := range formats() {
		all = append(all, kit.NewCommand("import "+f.Name,
			func(ctx context.Context, _ kit.Actor, in flags) (result, error) { return s.run(ctx, f, in) },
			"Import an organization: "+strings.ToLower(f.Doc[:1])+f.Doc[1:]).OfServer().Founding())
	}
	return all
}

// result is the output of an import.
type result struct {
	Realm realm.ID `json:"realm"` // 0: a dry run
	report
}

// String prints the report as text.
func (r result) String() string {
	if r.Realm == 0 {
		return r.report.String()
	}
	return fmt.Sprintf("organization %d\n%s\n\nPeople have no passwords yet: they choose one with "+
		"\"Forgot your password?\", or you set it with stoa user password.", r.Realm, r.report)
}

// run imports an archive.
func (s *service) run(ctx context.Context, f importing.Format, in flags) (result, error) {
	o, err := in.options()
	if err != nil {
		return result{}, errs.New(errs.Invalid, "%v", err)
	}
	scratch := filepath.Join(string(s.DataDir), "imports", cmp.Or(in.Realm, "@root"))
	if in.DryRun {
		scratch += "-dry-run"
	}
	a, err := archive.Open(in.Archive, scratch, archive.Defaults())
	if err != nil {
		return result{}, refusal(err)
	}
	done, err := s.engine.Run(ctx, engine.Job{
		Format: f, Archive: a, Options: o, Scratch: scratch, StringID: in.Realm, Name: in.Name, OwnerEmail: in.OwnerEmail,
		DryRun: in.DryRun,
	})
	if err := errors.Join(err, a.Close()); err != nil {
		return result{}, refusal(err)
	}
	if err := os.RemoveAll(scratch); err != nil {
		return result{}, err
	}
	return result{done.Realm, reportOf(done.Report)}, nil
}
