package declared

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/setting"
)

// Values describes the values that a setting accepts.
type Values struct {
	Kind    string      // on the wire: bool, int, option, text or group
	Min     int         // int
	Max     int         // int; of text, the maximum number of code points
	Options []string    // option
	Rule    *group.Rule // group

	decode func(raw []byte) (any, error)
	check  func(name string, v any) error
}

// Kind is the default of a setting, and the values that it accepts.
type Kind[T any] struct {
	standard T
	values   Values
}

func kind[T any](standard T, a Values, check func(string, any) error) Kind[T] {
	a.check = check
	a.decode = func(raw []byte) (any, error) {
		if string(bytes.TrimSpace(raw)) == "null" {
			return nil, errs.Bad("null is no value")
		}
		var v T
		err := json.Unmarshal(raw, &v)
		return v, err
	}
	return Kind[T]{standard, a}
}

// Bool is on or off.
func Bool(standard bool) Kind[bool] {
	return kind(standard, Values{Kind: "bool"}, func(string, any) error { return nil })
}

// Int is a number from low to high.
func Int(standard, low, high int) Kind[int] {
	return kind(standard, Values{Kind: "int", Min: low, Max: high}, func(name string, v any) error {
		if n := v.(int); n < low || n > high {
			return errs.Bad("%s must be from %d to %d", name, low, high)
		}
		return nil
	})
}

// OneOf is one of several words. The client shows them as they are, unless the module translates them.
func OneOf(standard string, options ...string) Kind[string] {
	return kind(standard, Values{Kind: "option", Options: options}, setting.OneOf(options...))
}

// Text is a text of at most limit code points.
func Text(standard string, limit int) Kind[string] {
	return kind(standard, Values{Kind: "text", Max: limit}, setting.Text(limit))
}

// Group is a permission: a group, or users and groups. The name of the rule is the setting's key.
func Group(r group.Rule) Kind[group.Setting] {
	k := kind(group.Named(r.Default), Values{Kind: "group", Rule: &r}, func(string, any) error { return nil })
	decode := k.values.decode
	k.values.decode = func(raw []byte) (any, error) {
		v, err := decode(raw)
		if err != nil {
			return nil, err
		}
		return v.(group.Setting).Normal(), nil
	}
	return k
}

// Read decodes a value, and checks everything about it that does not depend on the realm; for groups, see
// permission.CheckUpdate. Errors: BadRequest.
func (s *Setting) Read(raw []byte) (any, error) {
	v, err := s.decode(raw)
	if err != nil {
		if errs.Is(err, errs.BadRequest) {
			return nil, err
		}
		return nil, errs.Bad("Invalid %s", s.Key).Because(err)
	}
	return v, s.check(s.Key, v)
}

func (a Values) problems() []string {
	switch {
	case a.decode == nil:
		return []string{"it has no kind; use declared.Bool, Int, OneOf, Text or Group"}
	case a.Kind == "int" && a.Min >= a.Max, a.Kind == "text" && a.Max < 1:
		return []string{"its limits allow no choice"}
	case a.Kind == "option" && len(slices.Compact(slices.Sorted(slices.Values(a.Options)))) != len(a.Options),
		a.Kind == "option" && len(a.Options) < 2:
		return []string{"it needs at least two options, all different"}
	case a.Rule != nil && (a.Rule.Default >= group.FirstCustom || group.SystemName(a.Rule.Default) == "" ||
		!a.Rule.Accepts(a.Rule.Default)):
		return []string{"its default is not a system group that it accepts"}
	}
	return nil
}
