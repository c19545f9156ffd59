package realm

import (
	"maps"
	"strconv"
)

// Emblem is a picture of the organization; its value is the name in events and settings.
type Emblem string

// The emblems.
const (
	Icon      Emblem = "icon"
	Logo      Emblem = "logo"
	NightLogo Emblem = "night_logo" // for dark themes
)

// Emblems returns all emblems.
func Emblems() []Emblem { return []Emblem{Icon, Logo, NightLogo} }

// Upload is the uploaded picture of an emblem.
type Upload struct {
	Address string `json:"address"` // from the server's root; "": the default picture
	Version int    `json:"version"` // the number of changes plus one
}

// Sources of emblems.
const (
	generatedIcon = "G"
	defaultLogo   = "D"
	uploaded      = "U"
)

// defaultEmblem is the address of the default emblem.
const defaultEmblem = "/static/stoa/icon.svg"

// EmblemURL returns the address of an emblem, from the server's root.
func (r *Realm) EmblemURL(e Emblem) string {
	if u := r.Emblems[e]; u.Address != "" {
		return u.Address + "?version=" + strconv.Itoa(u.Version)
	}
	return defaultEmblem
}

// EmblemSource returns the source of an emblem on the wire.
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

// WithEmblem returns the organization with an uploaded picture, or with "" without one.
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
