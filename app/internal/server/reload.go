package server

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/registry"
)

// Reload reads the configuration again. What can take effect while the server runs does so: the keys with the tag
// `reload:"true"`, and files that reloadable adapters read. The access log is opened anew. Other changed keys are
// logged. If the configuration is invalid, its problems are logged, and nothing changes. It must not be called
// concurrently.
func (s *Server) Reload() {
	next, err := Read(s.options.Sources(), s.available)
	if err != nil {
		s.Log.Error("the configuration is invalid; the server continues with the former one",
			"problems", strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	var applied, restart []string
	for _, c := range differences(s.applied, next) {
		if c.Reloads {
			applied = append(applied, c.Path)
		}
	}
	for _, c := range differences(s.Config, next) {
		if !c.Reloads {
			restart = append(restart, c.Path)
		}
	}
	// Not a reason to refuse the configuration: a module that starts with it next time may declare the class.
	for _, p := range registry.UnknownRateClasses(next.Settings.HTTP.RateLimits.Classes, s.Modules().Modules) {
		s.Log.Warn("a limit in the configuration has no effect", "key", p.Path, "problem", p.Text)
	}
	if s.access != nil {
		if err := s.openAccess(context.Background()); err != nil {
			s.Log.Error("cannot open the access log again", "error", err)
		}
	}
	set := next.Settings
	if s.levels != nil {
		s.levels.SetBase(set.Log.level(s.terminal))
	}
	if !reflect.DeepEqual(set.HTTP.RateLimits, s.applied.Settings.HTTP.RateLimits) {
		s.http.SetRateLimits(set.HTTP.RateLimits)
	}
	for _, r := range s.reloads {
		i := slices.IndexFunc(next.Plan, func(m registry.Chosen) bool { return m.Slot == r.Slot })
		j := slices.IndexFunc(s.Config.Plan, func(m registry.Chosen) bool { return m.Slot == r.Slot })
		if i < 0 || next.Plan[i].Name != s.Config.Plan[j].Name {
			continue // reported as a key that needs a restart
		}
		if err := r.Run(next.Plan[i].Config); err != nil {
			s.Log.Error("cannot reload an adapter; it continues with the former configuration",
				"section", "adapters."+r.Slot, "error", config.Masked(err.Error()))
		}
	}
	s.applied = next
	if len(restart) > 0 {
		s.Log.Warn("some changes of the configuration take effect at the next start", "keys", strings.Join(restart, " "))
	}
	s.Log.Info("configuration reloaded", "changed", strings.Join(applied, " ")) // the last line of a reload
}

// differences returns the keys in which two configurations differ.
func differences(a, b Config) []config.Change {
	out := config.Changes("", a.Settings, b.Settings)
	find := func(in registry.Plan, m registry.Chosen) int {
		return slices.IndexFunc(in, func(o registry.Chosen) bool { return o.Slot == m.Slot && o.Name == m.Name })
	}
	for _, m := range a.Plan {
		if i := find(b.Plan, m); i < 0 {
			out = append(out, config.Change{Path: m.Path})
		} else {
			out = append(out, config.Changes(m.Path, m.Config, b.Plan[i].Config)...)
			if !sameFrom(m, b.Plan[i]) {
				out = append(out, config.Change{Path: config.Join(m.Path, registry.MovingFrom)})
			}
		}
	}
	for _, m := range b.Plan {
		// An adapter that replaces another one has been reported.
		replaced := m.Slot != "" && slices.ContainsFunc(a.Plan, func(o registry.Chosen) bool { return o.Slot == m.Slot })
		if find(a.Plan, m) < 0 && !replaced {
			out = append(out, config.Change{Path: m.Path})
		}
	}
	return out
}

// sameFrom reports whether the same store moves to two adapters, or none to either.
func sameFrom(a, b registry.Chosen) bool {
	if a.From == nil || b.From == nil {
		return a.From == b.From
	}
	return a.From.Name == b.From.Name && reflect.DeepEqual(a.From.Config, b.From.Config)
}
