package kit_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
)

type square struct{ Of int }

func squares(_ context.Context, q square) (int, error) { return q.Of * q.Of, nil }

func doubles(_ context.Context, q square) (int, error) { return 2 * q.Of, nil }

func fails(context.Context, square) (int, error) { return 1, errors.New("broken") }

func words(context.Context, square) (string, error) { return "many", nil }

func TestQuery(t *testing.T) {
	type needs struct {
		fx.In
		One  kit.Query[square, int]
		All  kit.QueryAll[square, int]
		None kit.Query[string, int]
	}
	for _, c := range []struct {
		name    string
		answers []kit.Answer
		one     string
		all     string
	}{
		{"without providers", nil, "0 false <nil>", "[] <nil>"},
		{"one answer", []kit.Answer{kit.Answers(squares)}, "25 true <nil>", "[25] <nil>"},
		{"two answers", []kit.Answer{kit.Answers(squares), kit.Answers(doubles)}, "25 true <nil>", "[25 10] <nil>"},
		{"an error", []kit.Answer{kit.Answers(squares), kit.Answers(fails)}, "0 false broken", "[] broken"},
		{"another type", []kit.Answer{kit.Answers(words)},
			"0 false kit: kit_test.square is answered with string, not int",
			"[] kit: kit_test.square is answered with string, not int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			collected := &kit.Collected{Answers: map[reflect.Type][]kit.Answer{reflect.TypeFor[square](): c.answers}}
			var n needs
			m := kit.Define("asks", "Asks.", struct{}{}, func(_ struct{}, in needs) (kit.Parts, error) {
				n = in
				return kit.Parts{}, nil
			})
			var got kit.Contributions
			if err := fx.New(fx.NopLogger, fx.Supply(collected), m.Option(struct{}{}), fx.Populate(&got)).Err(); err != nil {
				t.Fatal(err)
			}
			if len(m.Needs) != 0 || len(m.Queries) != 3 || len(got.All[0].Queries) != 3 {
				t.Errorf("the module needs %v and queries %v", m.Needs, m.Queries)
			}
			one, ok, err := n.One.Ask(t.Context(), square{5})
			if got := fmt.Sprint(one, ok, err); got != c.one {
				t.Errorf("one: %s, want %s", got, c.one)
			}
			all, err := n.All.Ask(t.Context(), square{5})
			if got := fmt.Sprint(all, err); got != c.all {
				t.Errorf("all: %s, want %s", got, c.all)
			}
			if _, ok, err := n.None.Ask(t.Context(), ""); ok || err != nil {
				t.Errorf("a query without providers: %v %v", ok, err)
			}
		})
	}
}

// A query without providers has no answer.
func TestZeroQuery(t *testing.T) {
	if _, ok, err := (kit.Query[square, int]{}).Ask(t.Context(), square{}); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}
