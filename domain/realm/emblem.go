package realm

import (
	"maps"
	"strconv"
)

// Emblem is a picture of the organization; its value is how events and settings name it.
type Emblem string

// The emblems.
const (
	Icon      Emblem = "icon"
	Logo      Emblem = "logo"
	NightLogo Emblem = "night_logo" // for dark pages
)

// Emblems gives all of them.
func Emblems() []Emblem { return []Emblem{Icon, Logo, NightLogo} }

// Upload is the picture of an emblem.
type Upload struct {
	Address string `json:"address"` // from the server's root; "" for the one that all begin with
	Version int    `json:"version"` // how often it has changed, and one
}

// The sources of emblems.
const (
	generatedIcon = "G"
	defaultLogo   = "D"
	uploaded      = "U"
)

// unadorned is the address of what organizations have that have not uploaded an emblem.
const unadorned = "/static/stoa/icon.svg"

// EmblemURL gives where a picture of the organization is, from the server's root.
func (r *Realm) EmblemURL(e Emblem) string {
	if u := r.Emblems[e]; u.Address != "" {
		return u.Address + "?version=" + strconv.Itoa(u.Version)
	}
	return unadorned
}

// EmblemSource tells whether it was uploaded.
func (r *Realm) EmblemSource(e Emblem) string { return *r.Settings.source(e) }

func (s *Settings) source(e Emblem) *string {
	switch e {
	case Logo:
		return &s.LogoSource
	case NightLogo:
		return &s.NightLogoSource
	default:
		return &s.IconSource
	}
}

// WithEmblem gives the organization with an uploaded picture, or with "" without one.
func (r *Realm) WithEmblem(e Emblem, address string) *Realm {
	now := *r
	now.Emblems = maps.Clone(r.Emblems)
	if now.Emblems == nil {
		now.Emblems = map[Emblem]Upload{}
	}
	now.Emblems[e] = Upload{Address: address, Version: max(1, r.Emblems[e].Version) + 1}
	source := uploaded
	switch {
	case address != "":
	case e == Icon:
		source = generatedIcon
	default:
		source = defaultLogo
	}
	*now.Settings.source(e) = source
	return &now
}
