// Package folders manages the folders into which an organization sorts its channels.
//
// There are few folders and only clients use them. They are therefore not part of the directory view but read from the
// database on request. Changes in a realm are serialized, so that a folder cannot be archived while a channel is moved
// into it.
package folders

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Audit     ports.Audit
	Directory ports.Directory
	Renderer  ports.Renderer
	Clock     ports.Clock
}

// Service serves the folders.
type Service struct {
	needs Needs
	rows  store
}

// New returns the service.
func New(n Needs) *Service { return &Service{n, store{n.DB}} }

// Parts returns the contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/channel_folders", kit.Users, s.list, "Lists channel folders."),
			kit.PATCH("/channel_folders", kit.Admins, s.order, "Reorders channel folders.").
				Operation("reorderChannelFolders"),
			kit.POST("/channel_folders/create", kit.Admins, s.create, "Creates a channel folder."),
			kit.PATCH("/channel_folders/:channel_folder_id", kit.Admins, s.update,
				"Changes, archives or unarchives a channel folder."),
		},
		Tables:   []kit.Table{kit.Exported[folderRow]("A folder of channels.")},
		Register: []kit.Section{kit.Register("channel_folders", s.section)},
		Events:   []kit.AnyEvent{folderAdded.Any(), folderChanged.Any(), folderReordered.Any()},
	}
}

type folderAdd struct {
	Folder channel.FolderRecord `json:"channel_folder"`
}

// folderChange holds a folder's changed properties.
type folderChange struct {
	ID   channel.FolderID `json:"channel_folder_id"`
	Data folderData       `json:"data"`
}

type folderData struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	Rendered    *string `json:"rendered_description,omitempty"`
	Archived    *bool   `json:"is_archived,omitempty"`
}

type folderOrder struct {
	Order []channel.FolderID `json:"order"`
}

var (
	folderAdded     = kit.Event[folderAdd]("channel_folder", "add")
	folderChanged   = kit.Event[folderChange]("channel_folder", "update")
	folderReordered = kit.Event[folderOrder]("channel_folder", "reorder")
)

type listRes struct {
	Folders []channel.FolderRecord `json:"channel_folders"`
}

func (s *Service) section(ctx context.Context, a kit.Actor, _ event.Client) (listRes, error) {
	return s.list(ctx, a, listReq{Archived: true})
}

type listReq struct {
	Archived bool `json:"include_archived" default:"false"`
}

func (s *Service) list(ctx context.Context, a kit.Actor, in listReq) (listRes, error) {
	all, err := s.rows.Folders(ctx, a.Realm)
	out := listRes{[]channel.FolderRecord{}}
	for i := range all {
		if in.Archived || !all[i].Archived {
			out.Folders = append(out.Folders, all[i].Record())
		}
	}
	return out, err
}

type createReq struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type createRes struct {
	ID channel.FolderID `json:"channel_folder_id"`
}

// create handles POST /channel_folders/create. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	name, err := channel.CheckFolderName(in.Name)
	if err != nil {
		return createRes{}, err
	}
	text, err := channel.CheckFolderDescription(in.Description)
	if err != nil {
		return createRes{}, err
	}
	return kit.Tx(ctx, s.needs.Work, func(ctx context.Context) (createRes, error) {
		v, all, err := s.administered(ctx, a)
		if err != nil {
			return createRes{}, err
		}
		f := &channel.Folder{
			Name: name, Description: text, Order: len(all), Creator: a.User,
			Created: s.needs.Clock.Now().UTC().Truncate(time.Second),
		}
		if err := channel.CheckFolders(all, f, v.NameKey); err != nil {
			return createRes{}, err
		}
		if err := channel.AdmitFolder(all, f, permission.Role(v, a)); err != nil {
			return createRes{}, err
		}
		if f.Rendered, err = s.render(ctx, v, text); err != nil {
			return createRes{}, err
		}
		if err := s.rows.Insert(ctx, a.Realm, f); err != nil {
			return createRes{}, err
		}
		if err := s.record(ctx, a, audit.FolderCreated, f.ID, nil, f.Record()); err != nil {
			return createRes{}, err
		}
		return createRes{f.ID}, s.needs.Log.Append(ctx, folderAdded.To(a.Realm, event.Everyone(), folderAdd{f.Record()}))
	})
}

type updateReq struct {
	ID          channel.FolderID `json:"channel_folder_id"`
	Name        *string          `json:"name"`
	Description *string          `json:"description"`
	Archived    *bool            `json:"is_archived"`
}

// update handles PATCH /channel_folders/{channel_folder_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	return kit.None{}, s.needs.Work.Do(ctx, func(ctx context.Context) error {
		v, all, err := s.administered(ctx, a)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(f channel.Folder) bool { return f.ID == in.ID })
		if i < 0 {
			return errNoFolder()
		}
		now := all[i]
		data, err := s.change(ctx, v, &now, in)
		if err != nil || data == (folderData{}) {
			return err
		}
		if err := channel.CheckFolders(all, &now, v.NameKey); err != nil {
			return err
		}
		if all[i].Archived && !now.Archived {
			if err := channel.AdmitFolder(all, &now, permission.Role(v, a)); err != nil {
				return err
			}
		}
		if err := s.rows.Update(ctx, a.Realm, &now); err != nil {
			return err
		}
		if err := s.record(ctx, a, audit.FolderChanged, now.ID, all[i].Record(), now.Record()); err != nil {
			return err
		}
		return s.needs.Log.Append(ctx, folderChanged.To(a.Realm, event.Everyone(), folderChange{now.ID, data}))
	})
}

// change applies a request to a folder and returns the properties that changed.
func (s *Service) change(
	ctx context.Context,
	v *directory.View,
	now *channel.Folder,
	in updateReq,
) (data folderData, err error) {
	if in.Name != nil && strings.TrimSpace(*in.Name) != now.Name { // names that predate the rules can be kept
		name, err := channel.CheckFolderName(*in.Name)
		if err != nil {
			return data, err
		}
		now.Name, data.Name = name, &name
	}
	if in.Description != nil {
		text, err := channel.CheckFolderDescription(*in.Description)
		if err != nil {
			return data, err
		}
		if text != now.Description {
			if now.Rendered, err = s.render(ctx, v, text); err != nil {
				return data, err
			}
			now.Description, data.Description, data.Rendered = text, &text, &now.Rendered
		}
	}
	if in.Archived != nil && *in.Archived != now.Archived {
		if *in.Archived {
			for c := range v.Channels() {
				if c.Folder == now.ID {
					return data, errs.Bad("Only a folder without channels can be archived.")
				}
			}
		}
		now.Archived, data.Archived = *in.Archived, in.Archived
	}
	return data, nil
}

type orderReq struct {
	Order []channel.FolderID `json:"order"`
}

// order handles PATCH /channel_folders. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) order(ctx context.Context, a kit.Actor, in orderReq) (kit.None, error) {
	return kit.None{}, s.needs.Work.Do(ctx, func(ctx context.Context) error {
		_, all, err := s.administered(ctx, a)
		if err != nil {
			return err
		}
		if err := channel.CheckFolderOrder(all, in.Order); err != nil {
			return err
		}
		if slices.EqualFunc(all, in.Order, func(f channel.Folder, id channel.FolderID) bool { return f.ID == id }) {
			return nil
		}
		if err := s.rows.Order(ctx, a.Realm, in.Order); err != nil {
			return err
		}
		if err := s.record(ctx, a, audit.FoldersReordered, 0, nil, audit.Values{"order": in.Order}); err != nil {
			return err
		}
		return s.needs.Log.Append(ctx, folderReordered.To(a.Realm, event.Everyone(), folderOrder(in)))
	})
}

func (s *Service) record(
	ctx context.Context, a kit.Actor, what audit.Action, id channel.FolderID, old, now any,
) error {
	return s.needs.Audit.Record(ctx, audit.Changed(a.Realm, what, audit.To(audit.Folder, id), old, now))
}

// administered checks that the caller is an administrator and returns all folders, which cannot change until the unit
// of work ends. Errors: UnauthorizedPrincipal.
func (s *Service) administered(ctx context.Context, a kit.Actor) (*directory.View, []channel.Folder, error) {
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if err := permission.CheckRole(v, a, user.Admin); err != nil {
		return nil, nil, err
	}
	all, err := s.rows.Folders(ctx, a.Realm)
	return v, all, err
}

// Check checks that a folder exists and is not archived, so that channels may be put into it. Errors: BadRequest.
func (s *Service) Check(ctx context.Context, r realm.ID, id channel.FolderID) error {
	all, err := s.rows.Folders(ctx, r)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(f channel.Folder) bool { return f.ID == id && !f.Archived }) {
		return errNoFolder()
	}
	return nil
}

func (s *Service) render(ctx context.Context, v *directory.View, description string) (string, error) {
	out, err := s.needs.Renderer.Render(ctx, v, markdown.Source{Text: description, Description: true})
	return out.HTML, err
}

func errNoFolder() error { return errs.Bad("Invalid channel folder ID") }
