package realm

import (
	"cmp"
	"encoding/json"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
)

// adapt translates the settings of an imported realm.
func adapt(m importing.Mapping, r *row) (bool, error) {
	r.Domains, r.Emblems = cmp.Or(r.Domains, "[]"), "null" // pictures have other addresses here
	out, err := r.realm()
	if err != nil {
		return false, err
	}
	s := &out.Settings
	for _, c := range []*int64{
		&s.ModerationRequestChannel, &s.NewStreamAnnouncementsStream, &s.SignupAnnouncementsStream,
		&s.ServiceUpdateAnnouncementsStream,
	} {
		if id, ok := m.ID("channels", *c); ok {
			*c = id
		} else {
			*c = -1
		}
	}
	for name, value := range s.Groups {
		s.Groups[name] = m.Setting(value)
	}
	for _, d := range out.Domains {
		out.LastDomain = max(out.LastDomain, d.ID)
	}
	s.IconSource, s.LogoSource, s.NightLogoSource = realm.Defaults().IconSource, realm.Defaults().LogoSource,
		realm.Defaults().NightLogoSource
	text, err := json.Marshal(out.Settings)
	if err != nil {
		return false, err
	}
	r.Settings, r.RetentionDays, r.LastDomain = string(text), s.MessageRetentionDays, out.LastDomain
	return true, nil
}
