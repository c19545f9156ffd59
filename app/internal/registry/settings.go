package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// setting checks a setting that a module declares.
func (c *checker) setting(s *declared.Setting) {
	if s == nil {
		c.problem("has an empty setting; create it with declared.ForRealm, ForUser or ForChannel")
		return
	}
	c.once("setting", s.Key)
	if ownSetting(s.Key) {
		c.problem(fmt.Sprintf("setting %s has the key of a setting of the server; choose another", s.Key))
	}
	for _, p := range s.Problems() {
		c.problem(fmt.Sprintf("setting %s: %s", s.Key, p))
	}
}

// ownSetting reports whether a setting of the server has a key.
func ownSetting(key string) bool {
	named := func(r group.Rule) bool { return r.Name == key }
	return slices.ContainsFunc(realm.Rows(), func(r realm.Row) bool { return r.Name == key }) ||
		slices.ContainsFunc(user.Rows(), func(r setting.Row) bool { return r.Name == key }) ||
		slices.ContainsFunc([]group.Scope{group.OfRealm, group.OfStream, group.OfGroup}, func(s group.Scope) bool {
			return slices.ContainsFunc(group.Rules(s), named)
		})
}

// holders checks that the settings of kit.Holders exist.
func (c *checker) holders(all []kit.Contribution) {
	var known []string
	for _, r := range group.Rules(group.OfRealm) {
		known = append(known, r.Name)
	}
	for _, m := range all {
		for _, s := range m.Parts.Settings {
			if d := s.Declaration(); d != nil && d.Of == declared.OfRealm && d.Rule != nil {
				known = append(known, d.Key)
			}
		}
	}
	for _, m := range all {
		c.module = "module " + m.Module
		check := func(name string, a kit.Access) {
			if s := a.Setting(); s != "" && !slices.Contains(known, s) {
				c.problem(fmt.Sprintf("%s admits the holders of %s, which is no permission of the organization; "+
					"declare it in Settings, with declared.ForRealm and declared.Group", name, s))
			}
		}
		for _, e := range m.Parts.Endpoints {
			check(strings.TrimSpace(e.Method+" "+e.Path), e.Access)
		}
		for _, s := range m.Parts.Slash {
			check("/"+s.Name, s.Access)
		}
	}
}
