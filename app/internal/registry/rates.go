package registry

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/modules/kit"
)

var className = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// rates checks the rate classes that a module declares, and that its routes have no others.
func (c *checker) rates(p kit.Parts) {
	for _, r := range p.Rates {
		c.once("rate class", strings.TrimPrefix(c.module, "module ")+"."+r.Name)
		name := fmt.Sprintf("rate class %q", r.Name)
		if !className.MatchString(r.Name) {
			c.problem(name + ": the name must consist of lower-case letters, digits and _")
		}
		if kit.OwnRateClass(r.Name) {
			c.problem(name + " is a class of the server; choose another name")
		}
		if r.PerUser < 0 || r.PerRealm < 0 || r.PerUser+r.PerRealm == 0 {
			c.problem(name + " needs a limit, PerUser or PerRealm")
		}
		if !strings.HasSuffix(r.Doc, ".") {
			c.problem(name + " needs a sentence that says what it limits")
		}
	}
	for _, e := range p.Endpoints {
		declared := slices.ContainsFunc(p.Rates, func(r kit.RateClass) bool { return r.Name == e.RateClass })
		if !declared && !kit.OwnRateClass(e.RateClass) {
			c.problem(fmt.Sprintf("%s has the rate class %q, which the module does not declare; add it to Rates",
				strings.TrimSpace(e.Method+" "+e.Path), e.RateClass))
		}
	}
}

// RateClasses returns the rate classes that modules declare, by the name in the configuration.
func RateClasses(all []kit.Contribution) map[string]kit.RateClass {
	out := map[string]kit.RateClass{}
	for _, m := range all {
		for _, r := range m.Parts.Rates {
			out[m.Module+"."+r.Name] = r
		}
	}
	return out
}

// UnknownRateClasses returns a problem for each rate class in the configuration that no module declares.
func UnknownRateClasses[T any](configured map[string]T, all []kit.Contribution) config.Problems {
	known := RateClasses(all)
	why := "no module that runs declares a rate class; remove it"
	if len(known) > 0 {
		why = "no module that runs declares this rate class; there are " +
			strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	}
	var ps config.Problems
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		if _, declared := known[name]; !declared {
			ps.Add("http.rate_limits.classes."+name, why)
		}
	}
	return ps
}
