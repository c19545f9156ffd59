package access_test

import (
	"fmt"
	"slices"
	"strings"
)

// channels returns olga's channels of every kind, with every relation of a caller to them.
func channels() *family {
	f := &family{
		name: "channel", make: makeChannel, sees: cell.canSee,
		missing: map[string]string{"id": "987654321", "stream_id": "987654321", "name": "nowhere"},
	}
	for _, kind := range []string{"web-public", "public", "private", "protected", "archived public", "archived private"} {
		for _, relation := range []string{"subscribed", "formerly", "never", "administers", "adds", "subscribes",
			"owner subscribes"} {
			f.variants = append(f.variants, variant{kind: kind, relation: relation})
		}
	}
	return f
}

// relationSettings maps relations other than subscribing to the settings that establish them.
var relationSettings = map[string]string{
	"administers": "can_administer_channel_group",
	"adds":        "can_add_subscribers_group",
	"subscribes":  "can_subscribe_group",
}

func makeChannel(w *fixture, v variant, who []*caller) object {
	w.t.Helper()
	kind := strings.TrimPrefix(v.kind, "archived ")
	params := map[string][]string{
		"private":   {"invite_only", "true", "history_public_to_subscribers", "true"},
		"protected": {"invite_only", "true", "history_public_to_subscribers", "false"},
	}[kind]
	if s := relationSettings[v.relation]; s != "" {
		params = append(slices.Clone(params), s, fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(who)))
	}
	o := w.open(w.fresh(), nil, params...)
	if kind == "web-public" {
		w.do("PATCH /streams/"+o.fields["id"], "is_web_public", "true")
	}
	if v.relation == "subscribed" || v.relation == "formerly" {
		w.join(o, who)
	}
	if v.relation == "formerly" {
		w.leave(o, who)
	}
	if v.relation == "owner subscribes" {
		w.join(o, []*caller{w.called("bot owner")})
	}
	if kind != v.kind {
		w.do("DELETE /streams/" + o.fields["id"])
	}
	return o
}

// open creates a channel owned by olga, and subscribes the given callers.
func (w *fixture) open(name string, who []*caller, params ...string) object {
	w.t.Helper()
	w.do("POST /users/me/subscriptions", append([]string{"subscriptions", fmt.Sprintf(`[{"name":%q}]`, name)},
		params...)...)
	id := fmt.Sprint(w.do("GET /get_stream_id", "stream", name).Int("stream_id"))
	o := object{map[string]string{"id": id, "stream_id": id, "name": name}}
	if who != nil {
		w.join(o, who)
	}
	return o
}

func (w *fixture) join(o object, who []*caller) {
	w.t.Helper()
	if all := ids(who); all != "[]" {
		w.do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, o.fields["name"]), "principals",
			all,
			"send_new_subscription_messages", "false")
	}
}

func (w *fixture) leave(o object, who []*caller) {
	w.t.Helper()
	if all := ids(who); all != "[]" {
		w.do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[%q]`, o.fields["name"]), "principals", all)
	}
}

// The access rules for channels. Only relations that a caller can have are tested.

func (x cell) kind() string   { return strings.TrimPrefix(x.v.kind, "archived ") }
func (x cell) archived() bool { return x.kind() != x.v.kind }
func (x cell) public() bool   { return x.kind() == "public" || x.kind() == "web-public" }

// subscribed reports whether the caller is subscribed now.
func (x cell) subscribed() bool {
	switch x.v.relation {
	case "subscribed", "late", "own":
		return x.c.inRealm()
	case "owner subscribes":
		return x.c.name == "bot owner"
	}
	return false
}

// granted reports whether a channel setting that excludes guests includes the caller.
func (x cell) granted(relations ...string) bool {
	return !x.c.guest() && x.c.inRealm() && slices.Contains(relations, x.v.relation)
}

// canSee reports whether the caller has metadata access.
func (x cell) canSee() bool {
	return x.canRead() || x.c.inRealm() && x.c.admin() || x.granted("administers")
}

// canRead reports whether the caller has content access.
func (x cell) canRead() bool {
	switch {
	case x.kind() == "web-public":
		return x.c.inRealm() || x.c.spectator
	case x.subscribed():
		return true
	case x.c.guest() || !x.c.inRealm():
		return false
	}
	return x.public() || x.granted("adds", "subscribes")
}

// administers reports whether the caller is allowed to change the channel.
func (x cell) administers() bool { return x.c.admin() || x.granted("administers") }

// posts reports whether the caller can send to the channel: users who can read it can, and bots whose owner is
// subscribed.
func (x cell) posts() bool {
	return !x.archived() && x.c.inRealm() && (x.canRead() || x.c.owner != "" &&
		(x.v.relation == "owner subscribes" || x.v.relation == "subscribed"))
}

// seesToPost reports whether the caller may learn that the channel exists when sending to it by ID.
func (x cell) seesToPost() bool {
	return x.canSee() || x.posts() || x.c.owner != "" && x.v.relation == "owner subscribes"
}
