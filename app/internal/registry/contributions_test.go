package registry

import (
	"context"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

func TestContributions(t *testing.T) {
	type a struct {
		A int `json:"a"`
	}
	type b struct {
		B int `json:"b"`
	}
	ofA := func(context.Context, kit.Actor, a) (kit.None, error) { return kit.None{}, nil }
	ofB := func(context.Context, kit.Actor, b) (kit.None, error) { return kit.None{}, nil }
	job := kit.Job{Name: "sweep", Every: time.Hour, Run: func(context.Context) error { return nil }}
	rows := func(all ...kit.Endpoint) kit.Parts { return kit.Parts{Endpoints: all} }
	for _, c := range []struct {
		name string
		all  []kit.Contribution
		want string
	}{
		{"sound", []kit.Contribution{{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""))}}, ""},
		{"no rule", []kit.Contribution{{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Access{}, ofA, ""))}},
			"module m: GET /y/:a has no access rule; set kit.Users, kit.Admins, ... or kit.Anyone"},
		{"the same route", []kit.Contribution{
			{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""))},
			{Module: "n", Parts: rows(kit.GET("/y/:b", kit.Users, ofB, ""))},
		}, "module n: GET /y/:b answers the same requests as a route of module m; keep one"},
		{"another method", []kit.Contribution{{Module: "m",
			Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""), kit.POST("/y/:b", kit.Users, ofB, ""))}}, ""},
		{"at the root too", []kit.Contribution{{Module: "m",
			Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""), kit.GET("/y/:b", kit.Users, ofB, "").AtRoot())}}, ""},
		{"jobs of two modules", []kit.Contribution{
			{Module: "m", Parts: kit.Parts{Jobs: []kit.Job{job}}}, {Module: "n", Parts: kit.Parts{Jobs: []kit.Job{job}}},
		}, ""},
		{"jobs of one module", []kit.Contribution{{Module: "m", Parts: kit.Parts{Jobs: []kit.Job{job, job}}}},
			"module m: job m.sweep is also in the same module; keep one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Contributions(c.all).Error(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
