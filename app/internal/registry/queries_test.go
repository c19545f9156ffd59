package registry

import (
	"context"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
)

type (
	height struct{}
	asks   struct {
		fx.In
		Height kit.Query[height, int]
	}
	asksAll struct {
		fx.In
		Heights kit.QueryAll[height, int]
	}
	asksText struct {
		fx.In
		Height kit.Query[height, string]
	}
)

func TestQueries(t *testing.T) {
	answer := []kit.Answer{kit.Answers(func(context.Context, height) (int, error) { return 1, nil })}
	none := struct{}{}
	asking := func(m kit.Module) []kit.QueryInfo { return m.Queries }
	one := asking(kit.Define("a", "", none, func(struct{}, asks) (kit.Parts, error) { return kit.Parts{}, nil }))
	every := asking(kit.Define("a", "", none, func(struct{}, asksAll) (kit.Parts, error) { return kit.Parts{}, nil }))
	text := asking(kit.Define("a", "", none, func(struct{}, asksText) (kit.Parts, error) { return kit.Parts{}, nil }))
	for _, c := range []struct {
		name string
		all  []kit.Contribution
		want string
	}{
		{"no answer", []kit.Contribution{{Module: "a", Queries: one}}, ""},
		{"one answer", []kit.Contribution{{Module: "a", Queries: one}, {Module: "b", Parts: kit.Parts{Answers: answer}}}, ""},
		{"two answers", []kit.Contribution{
			{Module: "a", Queries: one}, {Module: "b", Parts: kit.Parts{Answers: answer}},
			{Module: "c", Parts: kit.Parts{Answers: answer}},
		}, "module c: answers registry.height, as does module b; keep one"},
		{"two answers to all", []kit.Contribution{
			{Module: "a", Queries: every}, {Module: "b", Parts: kit.Parts{Answers: answer}},
			{Module: "c", Parts: kit.Parts{Answers: answer}},
		}, ""},
		{"another type", []kit.Contribution{{Module: "a", Queries: text}, {Module: "b", Parts: kit.Parts{Answers: answer}}},
			"module b: has int as the answer to registry.height, another module string"},
		{"empty", []kit.Contribution{{Module: "b", Parts: kit.Parts{Answers: make([]kit.Answer, 1)}}},
			"module b: has an empty answer; create it with kit.Answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Contributions(c.all).Error(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
