package settings

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// section is the section of /register.
type section struct {
	Settings struct {
		Realm   []setting `json:"realm"`
		User    []setting `json:"user"`
		Channel []setting `json:"channel"`
	} `json:"stoa_settings"`
}

// setting describes a setting to clients.
type setting struct {
	Key     string             `json:"key"`
	Module  string             `json:"module"`
	Label   string             `json:"label"`
	Doc     string             `json:"doc"`
	Kind    string             `json:"kind"`
	Min     *int               `json:"min,omitempty"`
	Max     *int               `json:"max,omitempty"` // of text: the maximum number of code points
	Options []string           `json:"options,omitempty"`
	Rule    *group.Description `json:"rule,omitempty"`
	Owners  bool               `json:"owners_only,omitempty"` // may change it
	Public  bool               `json:"public,omitempty"`      // part of users' profiles, or of channels' details
	Default any                `json:"default"`
	Value   any                `json:"value,omitempty"` // of the organization or the user
	// of the channels where it is not the default, or if it is public, of such users
	Values map[int64]any `json:"values,omitempty"`
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (out section, err error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	state := declared.In(v)
	all := func(of declared.Scope, add func(*declared.Setting, *setting)) []setting {
		list := []setting{}
		for _, one := range state.All(of) {
			described := s.describe(one)
			add(one, &described)
			list = append(list, described)
		}
		return list
	}
	out.Settings.Realm = all(declared.OfRealm, func(one *declared.Setting, d *setting) {
		d.Value = shown(v, state.Value(one, 0))
	})
	me := v.User(a.User)
	out.Settings.User = all(declared.OfUser, func(one *declared.Setting, d *setting) {
		d.Value = state.Value(one, int64(a.User))
		if !one.Public {
			return
		}
		d.Values = map[int64]any{}
		for id, value := range state.Each(one) {
			if permission.Sees(v, me, user.ID(id)) {
				d.Values[id] = value
			}
		}
	})
	out.Settings.Channel = all(declared.OfChannel, func(one *declared.Setting, d *setting) {
		d.Values = map[int64]any{}
		for id, value := range state.Each(one) {
			if permission.SeesChannel(v, v.Channel(channel.ID(id)), me) {
				d.Values[id] = shown(v, value)
			}
		}
	})
	return out, nil
}

func (s *service) describe(one *declared.Setting) setting {
	d := setting{
		Key: one.Key, Module: s.module[one.Key], Label: one.Label, Doc: one.Doc, Kind: one.Kind, Options: one.Options,
		Owners: one.By == user.Owner, Public: one.Public, Default: one.Default,
	}
	switch one.Kind {
	case "int":
		d.Min, d.Max = &one.Min, &one.Max
	case "text":
		d.Max = &one.Max
	case "group":
		rule := one.Rule.Describe()
		d.Rule = &rule
	}
	return d
}
