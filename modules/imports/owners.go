package imports

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/importing"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
)

// Limits of archives that are uploaded.
const (
	partSize   = 16 << 20 // maximum bytes of a part
	linkPeriod = 24 * time.Hour
)

// choices are what an owner chooses before the import, as in the flags of the command.
type choices struct {
	Subdomain   string `json:"subdomain"`
	Name        string `json:"name"         default:""`
	OwnerEmail  string `json:"owner_email"  default:""`
	EmailDomain string `json:"email_domain" default:""`
	NoDirect    bool   `json:"no_direct"    default:"false"`
	NoFiles     bool   `json:"no_files"     default:"false"`
	Workspace   string `json:"workspace"    default:""`
	Threads     string `json:"threads"      default:"topics" enum:"topics,inline"`
	Split       string `json:"split"        default:"none" enum:"none,year,month"`
	MainTopic   string `json:"main_topic"   default:""`
	NoPins      bool   `json:"no_pins"      default:"false"`
	Since       string `json:"since"        default:""`
	Until       string `json:"until"        default:""`

	Names []chosenName `json:"names" default:"[]"`
}

// chosenName is the name that an owner has chosen for a channel or group.
type chosenName struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// maxNames is the maximum number of names that can be chosen.
const maxNames = 1000

// names returns the chosen names by key. Errors: BadRequest.
func (c choices) names() (map[importing.Key]string, error) {
	if len(c.Names) > maxNames {
		return nil, errs.Bad("At most %d names can be chosen", maxNames)
	}
	all := map[importing.Key]string{}
	for _, n := range c.Names {
		if err := checkName(n.Name); err != nil {
			return nil, err
		}
		all[importing.Key(n.Key)] = n.Name
	}
	return all, nil
}

// options returns what the source is told. Errors: BadRequest.
func (c choices) options() (importing.Options, error) {
	o := importing.Options{
		Workspace: c.Workspace, EmailDomain: c.EmailDomain, NoDirect: c.NoDirect, NoFiles: c.NoFiles, NoPins: c.NoPins,
		Threads: c.Threads, MainTopic: c.MainTopic, Split: c.Split,
	}
	var err error
	if o.Since, err = parseDay(c.Since); err != nil {
		return o, errs.Bad("since: %v", err)
	}
	if o.Until, err = parseDay(c.Until); err != nil {
		return o, errs.Bad("until: %v", err)
	}
	return o, nil
}

// wireJob is an import as sent to owners.
type wireJob struct {
	ID       store.JobID     `json:"id"`
	Program  string          `json:"program"`
	FileName string          `json:"file_name"`
	Size     int64           `json:"size"`
	Received int64           `json:"received"`
	State    string          `json:"state"`
	Step     string          `json:"step"`
	Messages int64           `json:"messages_written"`
	Error    string          `json:"error"`
	Choices  *choices        `json:"choices"`
	Report   *report         `json:"report"`
	Realm    *domainrealm.ID `json:"imported_realm_id"`
	URL      string          `json:"imported_realm_url"`
	Created  int64           `json:"created_at"` // Unix seconds
	Links    bool            `json:"links"`      // whether links for people can be made
	Mails    bool            `json:"mails"`      // whether the server can send them
}

type jobsRes struct {
	Imports  []wireJob `json:"imports"`
	PartSize int64     `json:"part_size"`
	Refusal  string    `json:"refusal"` // why the caller cannot import; "": nothing is in the way
}

func (s *service) ownerEndpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/imports", kit.Owners, s.list, "Lists the imports of archives that owners have begun, newest first.").
			Operation("getImports"),
		kit.POST("/imports", kit.Owners, s.create, "Begins the import of an archive, whose parts are then uploaded.").
			Operation("createImport"),
		kit.POST("/imports/:import_id/archive", kit.Owners, s.receive,
			"Uploads the next part of an archive, as the body of the request.").MaxBody(partSize).Operation("uploadImportPart"),
		kit.POST("/imports/:import_id/check", kit.Owners, s.check,
			"Starts a dry run, whose report the list of imports then contains.").Operation("checkImport"),
		kit.POST("/imports/:import_id/start", kit.Owners, s.startImport,
			"Starts an import with what was chosen for the dry run, or continues one that has failed.").Operation("startImport"),
		kit.POST("/imports/:import_id/links", kit.Owners, s.links,
			"Creates a link, to set a password, for each person who was imported and has none yet; or sends it to them, "+
				"at most 5 times a day, and to nobody within an hour of the last link or more than 3 times a day.").
			Operation("createImportLinks"),
		kit.DELETE("/imports/:import_id", kit.Owners, s.remove,
			"Deletes an import: its archive and, if it is not complete, the organization; or ends only what is being done.").
			Operation("deleteImport"),
	}
}

// admit checks that a caller may import. Errors: BadRequest.
func (s *service) admit(ctx context.Context, a kit.Actor) error {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	if v.Realm().StringID != "" {
		return errs.Bad("Only owners of the organization at the root domain of this server can import others.")
	}
	if r, err := s.Realms.Resolve(ctx, "none.invalid"); err == nil && r == a.Realm {
		return errs.Bad("An import creates another organization with a name of its own. Its administrators must first set " +
			"modules.realm.domain in the configuration of this server.")
	}
	return nil
}

// list handles GET /imports.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (jobsRes, error) {
	out := jobsRes{Imports: []wireJob{}, PartSize: partSize}
	if err := s.admit(ctx, a); errs.Is(err, errs.BadRequest) {
		out.Refusal = err.Error()
	} else if err != nil {
		return out, err
	}
	jobs, err := s.rows.Jobs(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	for i := range jobs {
		w, err := s.toWire(ctx, &jobs[i], a.URL)
		if err != nil {
			return out, err
		}
		out.Imports = append(out.Imports, w)
	}
	return out, nil
}

func (s *service) toWire(ctx context.Context, j *store.Job, at string) (wireJob, error) {
	w := wireJob{
		ID: j.ID, Program: j.Program, FileName: j.FileName, Size: j.Size, Received: j.Received, State: j.State, Step: j.Step,
		Messages: j.Messages, Error: j.Error, Created: j.CreatedAt.Unix(), Links: s.linkable(j) == nil,
	}
	w.Mails = w.Links && s.Links.Mails()
	if j.Options != "" {
		w.Choices = &choices{}
		if err := json.Unmarshal([]byte(j.Options), w.Choices); err != nil {
			return w, err
		}
		if w.Choices.Names == nil { // stored by an earlier version
			w.Choices.Names = []chosenName{}
		}
	}
	if j.Report != "" {
		w.Report = &report{}
		if err := json.Unmarshal([]byte(j.Report), w.Report); err != nil {
			return w, err
		}
		if w.Report.Collisions == nil {
			w.Report.Collisions = []importing.Collision{}
		}
	}
	if j.State != store.Complete {
		return w, nil
	}
	w.Realm = &j.TargetID
	var err error
	w.URL, err = s.address(ctx, j.TargetID, at)
	return w, err
}

type createReq struct {
	Program string `json:"program"`
	Name    string `json:"file_name"`
	Size    int64  `json:"size"`
}

type createRes struct {
	ID       store.JobID `json:"id"`
	PartSize int64       `json:"part_size"`
}

// create handles POST /imports. Errors: BadRequest.
func (s *service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	if err := s.admit(ctx, a); err != nil {
		return createRes{}, err
	}
	if !slices.ContainsFunc(formats(), func(f importing.Format) bool { return f.Name == in.Program }) {
		return createRes{}, errs.Bad("Invalid program")
	}
	if in.Size < 1 || in.Size > s.cfg.MaxArchiveGiB<<30 {
		return createRes{}, errs.Bad("An archive can have at most %d GiB", s.cfg.MaxArchiveGiB)
	}
	now := s.Clock.Now()
	j := &store.Job{
		RealmID: a.Realm, UserID: a.User, Program: in.Program, FileName: upload.DisplayName(in.Name), Size: in.Size,
		State: store.Uploading, CreatedAt: now, ActiveAt: &now,
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		jobs, err := s.rows.Jobs(ctx, a.Realm)
		if err != nil {
			return err
		}
		for i := range jobs {
			if jobs[i].State != store.Complete {
				return errs.Bad("Another import is not complete; continue or delete it first")
			}
		}
		if err := s.rows.AddJob(ctx, j); err != nil {
			return err
		}
		return s.record(ctx, audit.ImportCreated, j)
	})
	return createRes{j.ID, partSize}, err
}

// job returns an import of the caller's organization. Errors: BadRequest.
func (s *service) job(ctx context.Context, a kit.Actor, id store.JobID) (*store.Job, error) {
	j, err := s.rows.Job(ctx, a.Realm, id)
	if err == nil && j == nil {
		err = errs.Bad("Invalid import ID")
	}
	return j, err
}

// change changes an import of the caller's organization, whose state is one of those given. Errors: BadRequest.
func (s *service) change(
	ctx context.Context, a kit.Actor, id store.JobID, states []string, fn func(context.Context, *store.Job) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		j, err := s.job(ctx, a, id)
		if err != nil {
			return err
		}
		if !slices.Contains(states, j.State) {
			return errs.Bad("This is not possible while the import is in the state %q", j.State)
		}
		return fn(ctx, j)
	})
}

type jobReq struct {
	ID store.JobID `json:"import_id"`
}

type checkReq struct {
	ID store.JobID `json:"import_id"`
	choices
}

// check handles POST /imports/:import_id/check. Errors: BadRequest.
func (s *service) check(ctx context.Context, a kit.Actor, in checkReq) (kit.None, error) {
	if err := s.admit(ctx, a); err != nil {
		return kit.None{}, err
	}
	var err error
	if in.Subdomain, err = domainrealm.CheckStringID(in.Subdomain); err != nil {
		return kit.None{}, err
	}
	if _, err = in.options(); err != nil {
		return kit.None{}, err
	}
	if _, err = in.names(); err != nil {
		return kit.None{}, err
	}
	if in.Names == nil {
		in.Names = []chosenName{}
	}
	text, err := json.Marshal(in.choices)
	if err != nil {
		return kit.None{}, err
	}
	states := []string{store.Uploaded, store.Checked, store.Failed, store.Canceled}
	return kit.None{}, s.change(ctx, a, in.ID, states, func(ctx context.Context, j *store.Job) error {
		switch {
		case j.Received < j.Size:
			return errs.Bad("The archive has not been uploaded completely")
		case j.TargetID != 0:
			return errs.Bad("The import has begun; continue or delete it")
		}
		if err := s.free(ctx, in.Subdomain); err != nil {
			return err
		}
		j.State, j.Options, j.Report, j.Error = store.Checking, string(text), "", ""
		return s.queue(ctx, j)
	})
}

// free checks that no organization has a subdomain.
func (s *service) free(ctx context.Context, subdomain string) error {
	r, err := s.named(ctx, subdomain)
	if err == nil && r != 0 {
		err = errSubdomainInUse()
	}
	return err
}

// queue has the job work on an import.
func (s *service) queue(ctx context.Context, j *store.Job) error {
	now := s.Clock.Now()
	j.DueAt, j.ActiveAt, j.Tries, j.Step, j.Messages = &now, &now, 0, "", 0
	s.Work.AfterCommit(ctx, s.backlog.Added)
	_, err := s.rows.SaveJob(ctx, j, "state", "options", "report", "error", "due_at", "active_at", "tries", "step",
		"messages")
	return err
}

// startImport handles POST /imports/:import_id/start. Errors: BadRequest.
func (s *service) startImport(ctx context.Context, a kit.Actor, in jobReq) (kit.None, error) {
	if err := s.admit(ctx, a); err != nil {
		return kit.None{}, err
	}
	states := []string{store.Checked, store.Failed, store.Canceled}
	return kit.None{}, s.change(ctx, a, in.ID, states, func(ctx context.Context, j *store.Job) error {
		if j.Report == "" {
			return errs.Bad("Check the archive first")
		}
		j.State, j.Error = store.Running, ""
		if err := s.queue(ctx, j); err != nil {
			return err
		}
		return s.record(ctx, audit.ImportStarted, j)
	})
}

func (s *service) record(ctx context.Context, what audit.Action, j *store.Job) error {
	return s.Audit.Record(ctx, audit.Fact{
		Realm: j.RealmID, Action: what, Target: audit.To(audit.Import, j.ID),
		New: audit.Values{"program": j.Program, "file_name": j.FileName},
	})
}
