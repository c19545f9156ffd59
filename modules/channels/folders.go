package channels

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Folders are few and named by nobody but their readers, so they are no shared facts: rows, read when they are asked
// for. The realm's order keeps a folder from being archived while a channel is put into it.

type folderAdd struct {
	Folder channel.FolderRecord `json:"channel_folder"`
}

// folderChange is what of a folder is another.
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

type foldersSection struct {
	Folders []channel.FolderRecord `json:"channel_folders"`
}

func (s *service) foldersSection(ctx context.Context, a kit.Actor, _ event.Client) (foldersSection, error) {
	return s.listFolders(ctx, a, listFoldersReq{Archived: true})
}

type listFoldersReq struct {
	Archived bool `json:"include_archived" default:"false"`
}

func (s *service) listFolders(ctx context.Context, a kit.Actor, in listFoldersReq) (foldersSection, error) {
	all, err := s.rows.Folders(ctx, a.Realm)
	out := foldersSection{[]channel.FolderRecord{}}
	for i := range all {
		if in.Archived || !all[i].Archived {
			out.Folders = append(out.Folders, all[i].Record())
		}
	}
	return out, err
}

type createFolderReq struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type createFolderRes struct {
	ID channel.FolderID `json:"channel_folder_id"`
}

// createFolder is POST /channel_folders/create. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) createFolder(ctx context.Context, a kit.Actor, in createFolderReq) (createFolderRes, error) {
	name, err := channel.CheckFolderName(in.Name)
	if err != nil {
		return createFolderRes{}, err
	}
	text, err := channel.CheckFolderDescription(in.Description)
	if err != nil {
		return createFolderRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (createFolderRes, error) {
		v, all, err := s.foldersOf(ctx, a)
		if err != nil {
			return createFolderRes{}, err
		}
		f := &channel.Folder{
			Name: name, Description: text, Order: len(all), Creator: a.User, Created: s.Clock.Now().UTC().Truncate(time.Second),
		}
		if err := channel.CheckFolders(all, f, v.NameKey); err != nil {
			return createFolderRes{}, err
		}
		if f.Rendered, err = s.render(ctx, v, text); err != nil {
			return createFolderRes{}, err
		}
		if err := s.rows.InsertFolder(ctx, a.Realm, f); err != nil {
			return createFolderRes{}, err
		}
		return createFolderRes{f.ID}, s.Log.Append(ctx, folderAdded.To(a.Realm, event.Everyone(), folderAdd{f.Record()}))
	})
}

type updateFolderReq struct {
	ID          channel.FolderID `json:"channel_folder_id"`
	Name        *string          `json:"name"`
	Description *string          `json:"description"`
	Archived    *bool            `json:"is_archived"`
}

// updateFolder is PATCH /channel_folders/{channel_folder_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) updateFolder(ctx context.Context, a kit.Actor, in updateFolderReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, all, err := s.foldersOf(ctx, a)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(f channel.Folder) bool { return f.ID == in.ID })
		if i < 0 {
			return errNoFolder()
		}
		now := all[i]
		data, err := s.changeFolderBy(ctx, v, &now, in)
		if err != nil || data == (folderData{}) {
			return err
		}
		if err := channel.CheckFolders(all, &now, v.NameKey); err != nil {
			return err
		}
		if err := s.rows.UpdateFolder(ctx, a.Realm, &now); err != nil {
			return err
		}
		return s.Log.Append(ctx, folderChanged.To(a.Realm, event.Everyone(), folderChange{now.ID, data}))
	})
}

// changeFolderBy changes a folder as wanted, and gives what is another then.
func (s *service) changeFolderBy(
	ctx context.Context,
	v *directory.View,
	now *channel.Folder,
	in updateFolderReq,
) (data folderData, err error) {
	if in.Name != nil && strings.TrimSpace(*in.Name) != now.Name { // it may keep one that is older than the rules
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

type orderFoldersReq struct {
	Order []channel.FolderID `json:"order"`
}

// orderFolders is PATCH /channel_folders. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) orderFolders(ctx context.Context, a kit.Actor, in orderFoldersReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, all, err := s.foldersOf(ctx, a)
		if err != nil {
			return err
		}
		if err := channel.CheckFolderOrder(all, in.Order); err != nil {
			return err
		}
		if slices.EqualFunc(all, in.Order, func(f channel.Folder, id channel.FolderID) bool { return f.ID == id }) {
			return nil
		}
		if err := s.rows.OrderFolders(ctx, a.Realm, in.Order); err != nil {
			return err
		}
		return s.Log.Append(ctx, folderReordered.To(a.Realm, event.Everyone(), folderOrder(in)))
	})
}

// foldersOf gives all folders to an administrator, in the realm's order: nothing of them changes until the end of the
// unit of work. Errors: UnauthorizedPrincipal.
func (s *service) foldersOf(ctx context.Context, a kit.Actor) (*directory.View, []channel.Folder, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if !admin(v, a) {
		return nil, nil, errs.New(errs.UnauthorizedPrincipal, "Must be an organization administrator")
	}
	all, err := s.rows.Folders(ctx, a.Realm)
	return v, all, err
}

// folderFor gives the folder that a channel is to be in. Errors: BadRequest, also for an archived one.
func (s *service) folderFor(ctx context.Context, r realm.ID, id channel.FolderID) (channel.FolderID, error) {
	all, err := s.rows.Folders(ctx, r)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(all, func(f channel.Folder) bool { return f.ID == id && !f.Archived }) {
		return 0, errNoFolder()
	}
	return id, nil
}

func errNoFolder() error { return errs.Bad("Invalid channel folder ID") }
