package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Payloads of the user_group events. Clients without include_deactivated_groups receive a remove event when a group is
// deactivated, an add event when it is reactivated, and no events in between. Clients with it receive a remove event
// when a deactivated group is deleted.
type (
	groupAdded struct {
		Group record `json:"group"`
		Back  bool   `json:"back,omitempty"` // reactivated, not new
	}
	groupUpdated struct {
		Group group.ID       `json:"group_id"`
		Data  map[string]any `json:"data"`
	}
	memberChange struct {
		Group group.ID `json:"group_id"`
		Users user.Set `json:"user_ids"`
	}
	subgroupChange struct {
		Group     group.ID  `json:"group_id"`
		Subgroups group.Set `json:"direct_subgroup_ids"`
	}
	groupRemoved struct {
		Group   group.ID `json:"group_id"`
		Deleted bool     `json:"deleted,omitempty"` // after it was deactivated
	}
	groupID struct {
		Group group.ID `json:"group_id"`
	}
	groupEvent struct {
		Group record `json:"group"`
	}
)

var (
	added = kit.Event[groupAdded]("user_group", "add").
		Shape(func(_ context.Context, _ *directory.View, c event.Client, p *groupAdded) (any, bool) {
			return groupEvent{p.Group}, !p.Back || !c.DeactivatedGroups
		}).Sends(groupEvent{})
	updated = kit.Event[groupUpdated]("user_group", "update").
		Shape(func(_ context.Context, v *directory.View, c event.Client, p *groupUpdated) (any, bool) {
			_, revived := p.Data["deactivated"]
			return p, known(v, c, p.Group) && (!revived || c.DeactivatedGroups)
		}).Sends(groupUpdated{})
	membersAdded   = kit.Event[memberChange]("user_group", "add_members").Shape(membersShape).Sends(memberChange{})
	membersRemoved = kit.Event[memberChange]("user_group", "remove_members").Shape(membersShape).Sends(memberChange{})
	subgroupsAdded = kit.Event[subgroupChange]("user_group", "add_subgroups").Shape(subgroupsShape).
			Sends(subgroupChange{})
	subgroupsRemoved = kit.Event[subgroupChange]("user_group", "remove_subgroups").Shape(subgroupsShape).
				Sends(subgroupChange{})
	removed = kit.Event[groupRemoved]("user_group", "remove").
		Shape(func(_ context.Context, _ *directory.View, c event.Client, p *groupRemoved) (any, bool) {
			return groupID{p.Group}, p.Deleted == c.DeactivatedGroups
		}).Sends(groupID{})
)

func membersShape(_ context.Context, v *directory.View, c event.Client, p *memberChange) (any, bool) {
	return p, known(v, c, p.Group)
}

func subgroupsShape(_ context.Context, v *directory.View, c event.Client, p *subgroupChange) (any, bool) {
	return p, known(v, c, p.Group)
}

// known reports whether a client's list of groups contains a group.
func known(v *directory.View, c event.Client, id group.ID) bool {
	g := v.Group(id)
	return g != nil && (!g.Deactivated || c.DeactivatedGroups)
}
