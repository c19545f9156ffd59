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

	"github.com/stoachat/stoa/domain/channel"
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
	Into        string   `placeholder:"NAME" help:"Subdomain of an existing organization into which the archive is imported; @root is the one without. It is closed meanwhile."`
	Name        string   `placeholder:"NAME" help:"Name of the organization; by default that in the archive."`
	OwnerEmail  string   `name:"owner-email" placeholder:"ADDRESS" help:"Who owns the organization if the archive names no owner."`
	EmailDomain string   `name:"email-domain" placeholder:"DOMAIN" help:"Domain of the addresses of people without one."`
	Since       string   `placeholder:"DATE" help:"Only messages from this day on, as 2006-01-02."`
	Until       string   `placeholder:"DATE" help:"Only messages before this day, as 2006-01-02."`
	Channels    []string `placeholder:"NAME" help:"Only messages in these channels."`
	NoDirect    bool     `name:"no-direct" help:"Leave out direct messages."`
	NoFiles     bool     `name:"no-files" help:"Leave out files."`
	MaxFile     int64    `name:"max-file" placeholder:"MIB" help:"Leave out larger files, in MiB; by default only those above 4096 MiB that are downloaded."`
	Rename      []string `placeholder:"KEY=NAME" help:"Give a channel or group this name. The report of a dry run lists the keys of those whose names are in use."`
	DryRun      bool     `name:"dry-run" help:"Read everything, write nothing, and print the report."`
}

// threadFlags are the flags for archives of programs without topics.
type threadFlags struct {
	flags
	Workspace string `aliases:"team" placeholder:"NAME" help:"The workspace or team, if the archive contains several; also as --team."`
	Threads   string `enum:"topics,inline" default:"topics" help:"Where replies go: topics, a topic for each thread; inline, the main topic, with a link to what they answer."`
	MainTopic string `name:"main-topic" placeholder:"NAME" help:"Topic of messages outside of threads; by default \"imported from\" and the program."`
	Split     string `enum:"none,year,month" default:"none" help:"Give messages outside of threads a topic per year or month."`
	NoPins    bool   `name:"no-pins" help:"Leave out the lists of pinned messages."`
}

// downloadFlags are the flags for archives whose files can be downloaded.
type downloadFlags struct {
	threadFlags
	Download  bool   `help:"Download files, avatars and custom emoji from the servers of the program, and with a token email addresses, too."`
	TokenFile string `name:"token-file" type:"path" placeholder:"FILE" help:"A file on the server with a token for downloads, if the archive contains none."`
}

// Validate checks the flags.
func (f flags) Validate() error {
	_, err := f.options()
	if err == nil && f.Into != "" && (f.Realm != "" || f.Name != "" || f.OwnerEmail != "") {
		err = errors.New("--into: not together with --realm, --name and --owner-email, which describe a new organization")
	}
	if err == nil {
		_, err = f.names()
	}
	if err == nil && (f.MaxFile < 0 || f.MaxFile > 1<<30) {
		err = errors.New("--max-file: want a number of MiB")
	}
	return err
}

// Validate checks the flags.
func (f downloadFlags) Validate() error {
	if f.TokenFile != "" && !f.Download {
		return errors.New("--token-file: is for --download")
	}
	return f.flags.Validate()
}

func (f threadFlags) options() (importing.Options, error) {
	o, err := f.flags.options()
	o.Workspace, o.Threads, o.MainTopic, o.Split, o.NoPins = f.Workspace, f.Threads, f.MainTopic, f.Split, f.NoPins
	return o, err
}

func (f flags) options() (importing.Options, error) {
	o := importing.Options{EmailDomain: f.EmailDomain, Channels: f.Channels, NoDirect: f.NoDirect, NoFiles: f.NoFiles}
	var err error
	if o.Since, err = parseDay(f.Since); err != nil {
		return o, fmt.Errorf("--since: %w", err)
	}
	if o.Until, err = parseDay(f.Until); err != nil {
		return o, fmt.Errorf("--until: %w", err)
	}
	return o, nil
}

// names returns the names chosen for channels and groups by their keys.
func (f flags) names() (map[importing.Key]string, error) {
	all := map[importing.Key]string{}
	for _, text := range f.Rename {
		k, name, _ := strings.Cut(text, "=")
		if err := checkName(name); k == "" || err != nil {
			return nil, errors.New("--rename: want KEY=NAME, with a valid name")
		}
		all[importing.Key(k)] = name
	}
	return all, nil
}

// checkName checks a name that somebody has chosen for a channel or group. Errors: BadRequest.
func checkName(name string) error {
	if name == "" || importing.CleanName(name, channel.MaxName, "") != name {
		return errs.Bad("Invalid name: a channel or group can have at most %d characters", channel.MaxName)
	}
	return nil
}

// parseDay returns the beginning of a day; "": none.
func parseDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, errors.New("want a day as 2006-01-02")
	}
	return at, nil
}

func (s *service) commands() []kit.Command {
	all := []kit.Command{
		kit.NewCommand("import examine", s.examine,
			"Report what an archive of another program contains, and what an import of it would lose.").
			OfServer().WithoutDatabase(),
		kit.NewCommand("import open", s.open,
			"Open an organization again into which an import was not completed, with what was imported so far.").OfServer(),
		kit.Confirm(kit.NewCommand("import forget", s.forgetRun,
			"Forget which records of an archive an organization was made of, so that no later one can be added.").OfServer(),
			s.wouldForget),
	}
	for _, f := range formats() {
		name, doc := "import "+f.Name, "Import an organization: "+strings.ToLower(f.Doc[:1])+f.Doc[1:]
		c := kit.NewCommand(name, func(ctx context.Context, _ kit.Actor, in flags) (result, error) {
			return s.run(ctx, f, downloadFlags{threadFlags: threadFlags{flags: in}})
		}, doc)
		switch {
		case f.Downloads:
			c = kit.NewCommand(name, func(ctx context.Context, _ kit.Actor, in downloadFlags) (result, error) {
				return s.run(ctx, f, in)
			}, doc)
		case f.Threads:
			c = kit.NewCommand(name, func(ctx context.Context, _ kit.Actor, in threadFlags) (result, error) {
				return s.run(ctx, f, downloadFlags{threadFlags: in})
			}, doc)
		}
		all = append(all, c.OfServer().Founding().Reporting())
	}
	return all
}

// rootName stands for the organization without a subdomain.
const rootName = "@root"

func stringID(name string) string {
	if name == rootName {
		return ""
	}
	return name
}

// openFlags are the flags of the command that ends an import into an existing organization.
type openFlags struct {
	Organization string `arg:"" placeholder:"NAME" help:"Its subdomain, or @root for the one without."`
}

// open opens an organization into which an import was not completed.
func (s *service) open(ctx context.Context, _ kit.Actor, in openFlags) (kit.None, error) {
	return kit.None{}, refusal(s.engine.Open(ctx, stringID(in.Organization)))
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
func (s *service) run(ctx context.Context, f importing.Format, in downloadFlags) (result, error) {
	o, err := in.options()
	if err != nil {
		return result{}, errs.New(errs.Invalid, "%v", err)
	}
	names, err := in.names()
	if err != nil {
		return result{}, errs.New(errs.Invalid, "%v", err)
	}
	scratch := filepath.Join(string(s.DataDir), "imports", cmp.Or(in.Into, in.Realm, rootName))
	if in.DryRun {
		scratch += "-dry-run"
	}
	a, err := archive.Open(in.Archive, scratch, archive.Defaults())
	if err != nil {
		return result{}, refusal(err)
	}
	var fetcher importing.Fetcher
	if in.Download {
		if fetcher, err = s.fetcher(in, scratch); err != nil {
			return result{}, errors.Join(err, a.Close())
		}
	}
	done, err := s.engine.Run(ctx, engine.Job{
		Format: f, Archive: a, Options: o, Scratch: scratch, StringID: stringID(cmp.Or(in.Into, in.Realm)),
		Into: in.Into != "", Name: in.Name, OwnerEmail: in.OwnerEmail, DryRun: in.DryRun, Fetch: fetcher,
		Names: names, MaxFile: in.MaxFile << 20,
	})
	if err := errors.Join(err, a.Close()); err != nil {
		return result{}, refusal(err)
	}
	if err := os.RemoveAll(scratch); err != nil {
		return result{}, err
	}
	return result{done.Realm, reportOf(done.Report)}, nil
}
