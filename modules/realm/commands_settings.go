package realm

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is the output of realm show.
type shown struct {
	listed
	Created  time.Time                  `json:"created"`
	Settings map[string]json.RawMessage `json:"settings"`
}

// String lists the settings by name.
func (s shown) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "realm %d\nsubdomain %s\nstate %s\nusers %d\ncreated %s\n", s.ID, s.Subdomain, s.Active, s.Users,
		s.Created.Format(time.DateOnly))
	for _, name := range slices.Sorted(maps.Keys(s.Settings)) {
		fmt.Fprintf(&b, "%s %s\n", name, s.Settings[name])
	}
	return b.String()
}

func (s *service) commandShow(ctx context.Context, a kit.Actor, _ kit.None) (shown, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return shown{}, err
	}
	values, err := settingsOf(v.Realm())
	return shown{forOperators(v), v.Realm().Created.UTC(), values}, err
}

// settingsOf returns the settings by the names that clients use.
func settingsOf(r *realm.Realm) (map[string]json.RawMessage, error) {
	values := setting.Values(r.Settings)
	delete(values, "groups")
	for name, value := range r.Settings.Groups {
		values[name] = value
	}
	out := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

type settingFlags struct {
	Name  string `arg:"" help:"Name of the setting: see stoa realm show."`
	Value string `arg:"" help:"The new value, as in PATCH /realm; for permissions, the name of a group."`
}

// commandSet changes a setting by the rules of PATCH /realm.
func (s *service) commandSet(ctx context.Context, a kit.Actor, in settingFlags) (changed, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return changed{}, err
	}
	p, err := withValue(v, in.Name, in.Value)
	if err == nil {
		_, err = s.patch(ctx, a, p)
	}
	return s.after(ctx, a, err, "set %s to %s in", in.Name, in.Value)
}

// withValue returns the parameters of PATCH /realm that change one setting. Errors: Invalid.
func withValue(v *directory.View, name, text string) (patch, error) {
	var p patch
	var names []string
	for f, to := range reflect.ValueOf(&p).Elem().Fields() {
		key := f.Tag.Get("json")
		names = append(names, key)
		if key != name {
			continue
		}
		value := reflect.New(f.Type.Elem())
		if err := parse(v, value.Interface(), text); err != nil {
			return p, errs.New(errs.Invalid, "%s: %v", name, err)
		}
		to.Set(value)
		return p, nil
	}
	return p, errs.New(errs.Invalid, "there is no setting %q%s", name, spelling.Hint(name, names, "stoa realm show"))
}

// parse sets the value of a setting from text.
func parse(v *directory.View, to any, text string) error {
	switch to := to.(type) {
	case *string:
		*to = text
		return nil
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text))
	case *group.Update:
		var names []string
		for g := range v.Groups() {
			if g.Name == text && !g.Deactivated {
				*to = group.Update{New: group.Named(g.ID)}
				return nil
			}
			names = append(names, g.Name)
		}
		return fmt.Errorf("there is no group %q%s", text, spelling.Suggest(text, names))
	}
	if json.Unmarshal([]byte(text), to) != nil {
		return fmt.Errorf("%q is no %v", text, reflect.TypeOf(to).Elem())
	}
	return nil
}

type quotaFlags struct {
	Limit string `arg:"" placeholder:"MIB" help:"Limit in mebibytes, or none. Existing files are kept."`
}

func (s *service) commandQuota(ctx context.Context, a kit.Actor, in quotaFlags) (changed, error) {
	var limit *int
	text := "none"
	if in.Limit != text {
		n, err := strconv.Atoi(in.Limit)
		if err != nil {
			return changed{}, errs.New(errs.Invalid, "want a number of mebibytes, or none, instead of %q", in.Limit)
		}
		limit, text = &n, in.Limit+" MiB"
	}
	return s.after(ctx, a, s.Set(ctx, a.Realm, "upload_quota_mib", limit), "set the quota to %s in", text)
}
