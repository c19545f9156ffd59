package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// record is a group as sent to clients. Some clients reject unknown keys.
type record struct {
	ID          group.ID      `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	DateCreated *int64        `json:"date_created"` // null for system groups
	CreatorID   *user.ID      `json:"creator_id"`
	Members     user.Set      `json:"members"` // active direct members
	Subgroups   group.Set     `json:"direct_subgroup_ids"`
	System      bool          `json:"is_system_group"`
	Deactivated bool          `json:"deactivated"`
	CanAdd      group.Setting `json:"can_add_members_group"`
	CanJoin     group.Setting `json:"can_join_group"`
	CanLeave    group.Setting `json:"can_leave_group"`
	CanManage   group.Setting `json:"can_manage_group"`
	CanMention  group.Setting `json:"can_mention_group"`
	CanRemove   group.Setting `json:"can_remove_members_group"`
}

func recordOf(v *directory.View, g *group.Group) record {
	may := func(name string) group.Setting { return permission.Shown(v, g.Permissions[name]) }
	r := record{
		ID: g.ID, Name: g.Name, Description: g.Description, Members: permission.DirectMembers(v, g.ID),
		Subgroups: g.Subgroups,
		System:    g.System, Deactivated: g.Deactivated,
		CanAdd: may("can_add_members_group"), CanJoin: may("can_join_group"), CanLeave: may("can_leave_group"),
		CanManage: may("can_manage_group"), CanMention: may("can_mention_group"), CanRemove: may("can_remove_members_group"),
	}
	if !g.System {
		at := g.Created.Unix()
		r.DateCreated = &at
	}
	if g.Creator != 0 {
		r.CreatorID = &g.Creator
	}
	if r.Members == nil {
		r.Members = user.Set{}
	}
	if r.Subgroups == nil {
		r.Subgroups = group.Set{}
	}
	return r
}

func recordsOf(v *directory.View, deactivated bool) []record {
	out := []record{}
	for g := range v.Groups() {
		if !g.Deactivated || deactivated {
			out = append(out, recordOf(v, g))
		}
	}
	return out
}

type listReq struct {
	Deactivated bool `json:"include_deactivated_groups" default:"false"`
}

type listRes struct {
	Groups []record `json:"user_groups"`
}

func (s *service) list(ctx context.Context, a kit.Actor, in listReq) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	return listRes{recordsOf(v, in.Deactivated)}, nil
}

type section struct {
	Groups []record `json:"realm_user_groups"`
}

// section returns the section of /register.
func (s *service) section(ctx context.Context, a kit.Actor, c event.Client) (section, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return section{}, err
	}
	if a.User == 0 {
		return section{forSpectators(v)}, nil
	}
	return section{recordsOf(v, c.DeactivatedGroups)}, nil
}

// forSpectators returns the system groups, which settings refer to, without their members.
func forSpectators(v *directory.View) []record {
	out := []record{}
	for g := range v.Groups() {
		if g.System {
			r := recordOf(v, g)
			r.Members = user.Set{}
			out = append(out, r)
		}
	}
	return out
}

// find returns the view and a group. Errors: BadRequest if there is no such group.
func (s *service) find(ctx context.Context, a kit.Actor, id group.ID) (*directory.View, *group.Group, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if g := v.Group(id); g != nil {
		return v, g, nil
	}
	return nil, nil, errs.Bad("Invalid user group")
}

type membersReq struct {
	Group  group.ID `json:"user_group_id"`
	Direct bool     `json:"direct_member_only" default:"false"`
}

type membersRes struct {
	Members user.Set `json:"members"`
}

func (s *service) members(ctx context.Context, a kit.Actor, in membersReq) (membersRes, error) {
	v, g, err := s.find(ctx, a, in.Group)
	if err != nil {
		return membersRes{}, err
	}
	return membersRes{membersOf(v, g.ID, in.Direct)}, nil
}

// membersOf returns a group's members, never nil.
func membersOf(v *directory.View, g group.ID, direct bool) user.Set {
	who := permission.DirectMembers(v, g)
	if !direct {
		who = permission.Members(v, group.Named(g))
	}
	if who == nil {
		who = user.Set{}
	}
	return who
}

type isMemberReq struct {
	Group  group.ID `json:"user_group_id"`
	User   user.ID  `json:"user_id"`
	Direct bool     `json:"direct_member_only" default:"false"`
}

type isMemberRes struct {
	Member bool `json:"is_user_group_member"`
}

func (s *service) isMember(ctx context.Context, a kit.Actor, in isMemberReq) (isMemberRes, error) {
	v, g, err := s.find(ctx, a, in.Group)
	if err != nil {
		return isMemberRes{}, err
	}
	if u := v.User(in.User); u == nil || u.System {
		return isMemberRes{}, errs.Bad("No such user")
	}
	return isMemberRes{membersOf(v, g.ID, in.Direct).Has(in.User)}, nil
}

type subgroupsReq struct {
	Group  group.ID `json:"user_group_id"`
	Direct bool     `json:"direct_subgroup_only" default:"false"`
}

type subgroupsRes struct {
	Subgroups group.Set `json:"subgroups"`
}

func (s *service) subgroups(ctx context.Context, a kit.Actor, in subgroupsReq) (subgroupsRes, error) {
	v, g, err := s.find(ctx, a, in.Group)
	if err != nil {
		return subgroupsRes{}, err
	}
	subs := g.Subgroups
	if !in.Direct {
		subs = permission.Subgroups(v, g.ID)
	}
	if subs == nil {
		subs = group.Set{}
	}
	return subgroupsRes{subs}, nil
}
