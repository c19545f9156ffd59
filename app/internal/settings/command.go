package settings

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about the settings of the organization and of channels.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("setting list", s.commandList, "List the settings that modules declare, with their values."),
		kit.NewCommand("setting set", s.commandSet, "Change a setting that a module declares."),
	}
}

type listFlags struct {
	Channel string `placeholder:"NAME" help:"List the settings of this channel instead of the organization's."`
}

// value is a value in JSON.
type value struct{ json.RawMessage }

func (v value) String() string { return string(v.RawMessage) }

// listed is a setting in the output of setting list.
type listed struct {
	Key    string `json:"key"`
	Module string `json:"module"`
	Value  value  `json:"value"`
	Label  string `json:"label"`
}

func (s *service) commandList(ctx context.Context, a kit.Actor, in listFlags) ([]listed, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	at, err := placeOf(v, in.Channel)
	if err != nil {
		return nil, err
	}
	state, all := declared.In(v), []listed{}
	for _, one := range state.All(at.of) {
		text, err := json.Marshal(state.Value(one, at.id))
		if err != nil {
			return nil, err
		}
		all = append(all, listed{one.Key, s.module[one.Key], value{text}, one.Label})
	}
	return all, nil
}

type setFlags struct {
	Key     string `arg:"" help:"Key of the setting: see stoa setting list."`
	Value   string `arg:"" help:"The new value; for permissions, the name of a group."`
	Channel string `placeholder:"NAME" help:"Change the setting of this channel instead of the organization's."`
}

// changed is the output of setting set.
type changed struct {
	Key  string `json:"key"`
	Text string `json:"text"` // what was changed
}

func (c changed) String() string { return c.Text }

// commandSet changes a setting by the rules of the routes.
func (s *service) commandSet(ctx context.Context, a kit.Actor, in setFlags) (changed, error) {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		at, err := placeOf(v, in.Channel)
		if err != nil {
			return err
		}
		one := declared.In(v).Setting(at.of, in.Key)
		if one == nil {
			var keys []string
			for _, other := range declared.In(v).All(at.of) {
				keys = append(keys, other.Key)
			}
			return errs.New(errs.Invalid, "there is no setting %q%s", in.Key,
				spelling.Hint(in.Key, keys, "stoa setting list"))
		}
		text, err := typed(v, one, in.Value)
		if err != nil {
			return errs.New(errs.Invalid, "%s: %v", in.Key, err)
		}
		return s.change(ctx, v, a, at, request{map[string]json.RawMessage{in.Key: text}})
	})
	return changed{in.Key, fmt.Sprintf("set %s to %s", in.Key, in.Value)}, err
}

// placeOf returns the place of the settings of a channel, or with "" of the organization. Errors: one with Gone.
func placeOf(v *directory.View, name string) (place, error) {
	if name == "" {
		return place{declared.OfRealm, 0, event.Everyone()}, nil
	}
	c := v.ChannelByName(name)
	if c == nil {
		return place{}, errs.Absent("there is no channel %q; see stoa channel list", name)
	}
	return ofChannel(c.ID), nil
}

func ofChannel(c channel.ID) place {
	return place{declared.OfChannel, int64(c), event.SeeingChannel(c)}
}

// typed returns a value as it is in requests.
func typed(v *directory.View, one *declared.Setting, text string) (json.RawMessage, error) {
	switch one.Kind {
	case "group":
		var names []string
		for g := range v.Groups() {
			if g.Name == text && !g.Deactivated {
				return json.Marshal(group.Update{New: group.Named(g.ID)})
			}
			names = append(names, g.Name)
		}
		return nil, fmt.Errorf("there is no group %q%s", text, spelling.Suggest(text, names))
	case "option", "text":
		return json.Marshal(text)
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("%q is no %s", text, one.Kind)
	}
	return json.RawMessage(text), nil
}
