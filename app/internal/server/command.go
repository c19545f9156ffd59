package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Call is a call of an administrative command.
type Call struct {
	Name     string          `json:"name"`
	Database string          `json:"database"` // Settings.DatabaseID as the command line knows it
	Of       Organization    `json:"of"`
	Flags    json.RawMessage `json:"flags"`
	Ask      bool            `json:"ask"`      // only respond with what the command would do, a kit.Effect
	Progress bool            `json:"progress"` // before the response, write lines with the progress, each a ProgressLine
}

// ProgressLine is a line of a response that comes before the response itself.
type ProgressLine struct {
	Progress *kit.Progress `json:"progress"`
}

// Organization selects the organization that a command is about. It need not be given while there is only one.
type Organization struct {
	Realm     *string `json:"realm"` // subdomain or ID
	Subdomain *string `json:"subdomain"`
	ID        int64   `json:"id"`
}

// ErrOtherDatabase reports that a running server uses another database than the one that a command is about.
var ErrOtherDatabase = errs.New(errs.Expectation, "the running server uses another database")

// ErrNoOrganization reports that a command needs an organization.
var ErrNoOrganization = errs.New(errs.NonexistentSubdomain, "there is no organization yet")

// DatabaseID identifies the configured database without revealing its password.
func (set Settings) DatabaseID() string {
	sum := sha256.Sum256([]byte(set.DatabaseURL()))
	return hex.EncodeToString(sum[:])
}

// RunCommand runs an administrative command, and writes its response, or what it would do, to w. Errors: those of the
// command; ErrOtherDatabase; ErrNoOrganization; *errs.Error about the selection of the organization.
func (s *Server) RunCommand(ctx context.Context, in Call, w io.Writer) error {
	if in.Database != s.Config.Settings.DatabaseID() {
		return ErrOtherDatabase
	}
	c, ok := s.modules.Command(in.Name)
	if !ok {
		return errs.Absent("the running server has no command %s; restart it after a change of its modules", in.Name)
	}
	by := System(0)
	if !c.ForServer {
		r, err := s.Ports.Find(ctx, in.Of)
		if err != nil {
			return err
		}
		by.Realm = r.ID
	}
	ctx = ports.WithCaller(ctx, by)
	if in.Progress && c.Reports {
		ctx = kit.WithProgress(ctx, func(p kit.Progress) { writeProgress(w, p) })
	}
	if !in.Ask {
		ctx, span := s.traces.Begin(ctx, ports.SpanCommand, c.Name, "")
		err := c.Run(ctx, by, in.Flags, w)
		span.End(err)
		return err
	}
	effect, err := c.Effect(ctx, by, in.Flags)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(effect)
}

// writeProgress writes a line with the progress of a command, which must not fail because nobody reads it.
func writeProgress(w io.Writer, p kit.Progress) {
	_ = json.NewEncoder(w).Encode(ProgressLine{&p})
	if f, ok := w.(interface{ Flush() }); ok {
		f.Flush()
	}
}

// Find returns the selected organization. Errors: ErrNoOrganization; Missing if there are several and none is selected;
// one with Gone if the selected one does not exist.
func (p Ports) Find(ctx context.Context, o Organization) (*realm.Realm, error) {
	ids, err := p.Realms.All(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]*realm.Realm, len(ids))
	for i, id := range ids {
		v, err := p.Directory.Verified(ctx, id)
		if err != nil {
			return nil, err
		}
		all[i] = v.Realm()
	}
	switch {
	case len(all) == 0:
		return nil, ErrNoOrganization
	case o.Realm != nil:
		return o.named(all, "--realm", *o.Realm)
	case o.Subdomain != nil:
		return o.named(all, "--subdomain", *o.Subdomain)
	case o.ID != 0:
		return o.numbered(all, "--realm-id", o.ID)
	case len(all) > 1:
		return nil, ambiguous(all)
	}
	return all[0], nil
}

func (o Organization) named(all []*realm.Realm, flag, name string) (*realm.Realm, error) {
	var names []string
	for _, r := range all {
		if strings.EqualFold(name, r.StringID) {
			return r, nil
		}
		names = append(names, r.StringID)
	}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil && o.Realm != nil {
		return o.numbered(all, flag, id)
	}
	return nil, errs.Absent("%s: there is no realm %q%s", flag, name, spelling.Hint(name, names, "stoa realm list"))
}

func (Organization) numbered(all []*realm.Realm, flag string, id int64) (*realm.Realm, error) {
	for _, r := range all {
		if int64(r.ID) == id {
			return r, nil
		}
	}
	return nil, errs.Absent("%s: there is no realm %d; see stoa realm list", flag, id)
}

// maxNamed is the maximum number of organizations that an error names.
const maxNamed = 10

// ambiguous returns the error for a command that does not select one of several organizations. It names them with the
// flags that select them.
func ambiguous(all []*realm.Realm) error {
	var choices []string
	for _, r := range all[:min(len(all), maxNamed)] {
		choices = append(choices, fmt.Sprintf("--realm %d (%s)", r.ID, r.Settings.Name))
	}
	more := ""
	if n := len(all) - len(choices); n > 0 {
		more = fmt.Sprintf(" or one of %d others, see stoa realm list", n)
	}
	return errs.New(errs.Missing, "there are several organizations; select one with --realm: %s%s",
		strings.Join(choices, ", "), more)
}
