package channels

import (
	"context"
	"fmt"
	"strconv"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about channels.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("channel list", s.commandList, "List all channels."),
		kit.NewCommand("channel set", s.commandSet, "Change the properties of a channel."),
		kit.Confirm(kit.NewCommand("channel archive", s.commandArchive,
			"Archive a channel: its messages are kept, but no one can post to it."), s.wouldArchive),
		kit.NewCommand("channel unarchive", s.commandUnarchive, "Open an archived channel again."),
	}
}

// listedChannel is a channel in the output of commands.
type listedChannel struct {
	ID          channel.ID `json:"channel_id" table:"ID"`
	Name        string     `json:"name"`
	Private     bool       `json:"is_private" table:"PRIVATE"`
	Default     bool       `json:"is_default" table:"DEFAULT"`
	Archived    bool       `json:"is_archived" table:"ARCHIVED"`
	Subscribers int        `json:"subscribers"`
}

func forOperators(v *directory.View, c *channel.Channel) listedChannel {
	return listedChannel{c.ID, c.Name, c.Private, c.Default, c.Archived, len(v.Subscribers(c.ID))}
}

func (s *service) commandList(ctx context.Context, a kit.Actor, _ kit.None) ([]listedChannel, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	all := []listedChannel{}
	for c := range v.Channels() {
		all = append(all, forOperators(v, c))
	}
	return all, nil
}

// selected selects a channel.
type selected struct {
	Channel string `arg:"" help:"Name or ID of the channel: see stoa channel list."`
}

// find returns the selected channel. Errors: one with Gone.
func (f selected) find(ctx context.Context, s *service, a kit.Actor) (*directory.View, *channel.Channel, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	if c := v.ChannelByName(f.Channel); c != nil {
		return v, c, nil
	}
	if id, err := strconv.ParseInt(f.Channel, 10, 64); err == nil && v.Channel(channel.ID(id)) != nil {
		return v, v.Channel(channel.ID(id)), nil
	}
	var names []string
	for c := range v.Channels() {
		names = append(names, c.Name)
	}
	return nil, nil, errs.Absent("there is no channel %q%s", f.Channel,
		spelling.Hint(f.Channel, names, "stoa channel list"))
}

// changedChannel is the output of commands that change a channel.
type changedChannel struct {
	listedChannel
	Text string `json:"text"` // what was changed
}

func (c changedChannel) String() string { return c.Text }

// updated changes a channel by the rules of PATCH /streams/{stream_id}, and returns it with what was done.
func (s *service) updated(ctx context.Context, a kit.Actor, in updateReq, done string) (changedChannel, error) {
	if _, err := s.update(ctx, a, in); err != nil {
		return changedChannel{}, err
	}
	return s.after(ctx, a, in.ID, done)
}

func (s *service) after(ctx context.Context, a kit.Actor, id channel.ID, done string) (changedChannel, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return changedChannel{}, err
	}
	c := v.Channel(id)
	return changedChannel{forOperators(v, c), fmt.Sprintf("%s channel %d %q", done, c.ID, c.Name)}, nil
}

type setFlags struct {
	selected
	Name        *string `placeholder:"NAME" help:"New name."`
	Description *string `placeholder:"TEXT" help:"New description, in Markdown."`
	Private     *bool   `negatable:"" help:"Make it private, or public."`
	Default     *bool   `negatable:"" help:"Subscribe new users to it, or not."`
	Retention   *string `placeholder:"DAYS" help:"Delete messages after this many days; unlimited; or realm_default."`
}

func (s *service) commandSet(ctx context.Context, a kit.Actor, in setFlags) (changedChannel, error) {
	_, c, err := in.find(ctx, s, a)
	if err != nil {
		return changedChannel{}, err
	}
	change := updateReq{
		ID: c.ID, Name: in.Name, Description: in.Description, Private: in.Private, Default: in.Default,
		Retention: in.Retention,
	}
	if change == (updateReq{ID: c.ID}) {
		return changedChannel{}, errs.New(errs.Missing, "say what to change, such as with --name")
	}
	return s.updated(ctx, a, change, "changed")
}

func (s *service) wouldArchive(ctx context.Context, a kit.Actor, in selected) (kit.Effect, error) {
	v, c, err := in.find(ctx, s, a)
	if err != nil {
		return kit.Effect{}, err
	}
	n := len(v.Subscribers(c.ID))
	return kit.Effect{
		Text:   fmt.Sprintf("archive channel %d %q with %d subscribers", c.ID, c.Name, n),
		Counts: map[string]int{"subscribers": n},
	}, nil
}

func (s *service) commandArchive(ctx context.Context, a kit.Actor, in selected) (changedChannel, error) {
	_, c, err := in.find(ctx, s, a)
	if err != nil {
		return changedChannel{}, err
	}
	if _, err := s.archive(ctx, a, archiveReq{c.ID}); err != nil {
		return changedChannel{}, err
	}
	return s.after(ctx, a, c.ID, "archived")
}

func (s *service) commandUnarchive(ctx context.Context, a kit.Actor, in selected) (changedChannel, error) {
	_, c, err := in.find(ctx, s, a)
	if err != nil {
		return changedChannel{}, err
	}
	archived := false
	return s.updated(ctx, a, updateReq{ID: c.ID, Archived: &archived}, "unarchived")
}
