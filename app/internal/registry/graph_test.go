package registry

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

type (
	portA interface{ A() }
	portB interface{ B() }
	portC interface{ C() }
)

func types(ts ...reflect.Type) []reflect.Type { return ts }

func TestOrder(t *testing.T) {
	a, b, c := reflect.TypeFor[portA](), reflect.TypeFor[portB](), reflect.TypeFor[portC]()
	for _, test := range []struct {
		name    string
		modules Plan
		order   string
		problem string
	}{
		{"by name", Plan{{Path: "one"}, {Path: "two"}}, "one two", ""},
		{"givers first", Plan{
			{Path: "one", Module: kit.Module{Needs: types(b)}},
			{Path: "three", Module: kit.Module{Provides: types(a)}},
			{Path: "two", Module: kit.Module{Needs: types(a), Provides: types(b)}},
		}, "three two one", ""},
		{"a circle", Plan{
			{Path: "free"},
			{Path: "one", Module: kit.Module{Needs: types(b), Provides: types(a)}},
			{Path: "three", Module: kit.Module{Needs: types(a), Provides: types(c)}},
			{Path: "two", Module: kit.Module{Needs: types(c), Provides: types(b)}},
		}, "free", "one: depends on itself: one needs two needs three needs one; turn one of these needs into a hook"},
		{"before a circle", Plan{
			{Path: "in", Module: kit.Module{Needs: types(a)}},
			{Path: "one", Module: kit.Module{Needs: types(b), Provides: types(a)}},
			{Path: "two", Module: kit.Module{Needs: types(a), Provides: types(b)}},
		}, "", "one: depends on itself: one needs two needs one; turn one of these needs into a hook"},
		{"itself", Plan{{Path: "one", Module: kit.Module{Needs: types(a), Provides: types(a)}}}, "",
			"one: depends on itself: one needs one; turn one of these needs into a hook"},
		{"a missing port is not a cycle", Plan{
			{Path: "one", Module: kit.Module{Needs: types(a)}},
			{Path: "two", Module: kit.Module{Needs: types(b), Provides: types(a)}},
		}, "", "two: needs registry.portB, which no module in this program provides"},
		{"the kernel's", Plan{{Path: "one", Module: kit.Module{Provides: types(c)}}}, "one",
			"one: provides registry.portC, which the server itself provides and modules cannot replace"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := graph{providers: map[reflect.Type]int{}}
			if strings.Contains(test.name, "kernel") {
				g.builtin = types(c)
			}
			var order []string
			for _, m := range g.order(test.modules) {
				order = append(order, m.Path)
			}
			if got := strings.Join(order, " "); got != test.order {
				t.Errorf("order %q, want %q", got, test.order)
			}
			if got := g.problems.Error(); got != test.problem {
				t.Errorf("problems %q, want %q", got, test.problem)
			}
		})
	}
}

func TestPathParams(t *testing.T) {
	for path, want := range map[string][]string{
		"/a": nil, "/a/:b": {"b"}, "/a/:b/c/:d+": {"b", "d+"},
	} {
		if got := (kit.Endpoint{Path: path}).PathParams(); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", path, got, want)
		}
	}
}

func TestWireNames(t *testing.T) {
	type inner struct {
		Deep int `json:"deep"`
	}
	type req struct {
		inner
		A int `json:"a,omitempty"`
		B int `json:"-"`
		C int
	}
	if got := wireNames(reflect.TypeFor[*req]()); !slices.Equal(got, []string{"deep", "a", "C"}) {
		t.Errorf("got %v", got)
	}
}
