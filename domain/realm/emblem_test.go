package realm_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/realm"
)

func TestEmblems(t *testing.T) {
	r := &realm.Realm{Settings: realm.Defaults()}
	is := func(r *realm.Realm, e realm.Emblem, url, source string) {
		t.Helper()
		if r.EmblemURL(e) != url || r.EmblemSource(e) != source {
			t.Errorf("%s is %s (%s), want %s (%s)", e, r.EmblemURL(e), r.EmblemSource(e), url, source)
		}
	}
	const none = "/static/stoa/icon.svg"
	is(r, realm.Icon, none, "G")
	for _, e := range realm.Emblems() {
		other, def := realm.Icon, "G"
		if e == realm.Icon {
			other, def = realm.NightLogo, "D"
		}
		a := r.WithEmblem(e, "/x.png")
		b := a.WithEmblem(e, "/y.png")
		c := b.WithEmblem(e, "")
		is(a, e, "/x.png?version=2", "U")
		is(b, e, "/y.png?version=3", "U")
		is(a, e, "/x.png?version=2", "U") // unchanged
		is(c, e, none, map[bool]string{true: "G", false: "D"}[e == realm.Icon])
		is(c.WithEmblem(e, "/z.png"), e, "/z.png?version=5", "U")
		is(b, other, none, def)
	}
}
