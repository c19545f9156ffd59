package access_test

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/user"
)

// attach sends a request with parameters, followed by an image.
func (w *fixture) attach(c *caller, call string, params ...string) *kittest.Response {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i+1 < len(params); i += 2 {
		w.must(form.WriteField(params[i], params[i+1]))
	}
	part, err := form.CreateFormFile("file", "picture.png")
	w.must(err)
	w.must(png.Encode(part, image.NewNRGBA(image.Rect(0, 0, 4, 4))))
	w.must(form.Close())
	req := c.at.Request(call, &b)
	req.Header.Set("Content-Type", form.FormDataContentType())
	if c.host != "" {
		req.Host = c.host
	}
	return w.send(req, call)
}

// attaches returns a function that sends a row's request with an image.
func attaches(call string, params ...string) func(*fixture, cell) *kittest.Response {
	return func(w *fixture, x cell) *kittest.Response { return w.attach(x.c, x.fill(call), params...) }
}

func playgroundsTable() table {
	about := func(name string) []string {
		return []string{"name", name, "pygments_language", "Go", "url_template", "https://play.example.com/{code}"}
	}
	p := &family{name: "playground", missing: map[string]string{"playground_id": "987654321"},
		variants: []variant{{kind: "playground"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := w.do("POST /realm/playgrounds", about(w.fresh())...).Get("id")
			return object{map[string]string{"playground_id": kittest.JSON(id)}}
		}}
	return table{"playgrounds", "Code playgrounds.", []*row{
		{route: "POST /realm/playgrounds", rule: "Administrators.", who: admins,
			do: func(w *fixture, x cell) *kittest.Response {
				return w.ask(x.c, "POST /realm/playgrounds", about(w.fresh())...)
			}},
		{route: "DELETE /realm/playgrounds/:playground_id", rule: "Administrators.", who: admins, on: p, lasts: true},
	}}
}

func emojiTable() table {
	e := &family{name: "emoji", missing: map[string]string{"emoji_name": "nothing987654321"},
		variants: []variant{{kind: "olga's"}, {kind: "own", each: true}},
		make: func(w *fixture, v variant, who []*caller) object {
			of := w.olga
			if v.kind == "own" && maker(who[0]) {
				of = who[0]
			}
			name := w.fresh()
			w.attach(of, "POST /realm/emoji/"+name).OK()
			return object{map[string]string{"emoji_name": name}}
		}}
	const extra = "GET mount /static/generated/emoji/images/emoji/unicode/"
	return table{"emoji", "Custom emoji.", []*row{
		{route: extra, rule: "Everyone.", who: anyone, call: extra + "zulip.png"},
		{route: "GET /realm/emoji", rule: "Users.", who: users},
		{route: "POST /realm/emoji/:emoji_name",
			rule: "can_add_custom_emoji_group (here members); not guests.", who: members,
			do: attaches("POST /realm/emoji/made{n}")},
		{route: "POST /realm/emoji/:emoji_name", name: "instead of a built-in one",
			rule: "Administrators who can create emoji.", who: members,
			may: func(x cell) bool { return x.c.role <= user.Admin },
			do: func(w *fixture, x cell) *kittest.Response {
				a := w.attach(x.c, "POST /realm/emoji/tada")
				if a.Status == 200 {
					w.ask(x.c, "DELETE /realm/emoji/tada").OK()
				}
				return a
			}},
		{route: "DELETE /realm/emoji/:emoji_name", rule: "The author, and administrators.", who: users, on: e,
			lasts: true,
			may:   func(x cell) bool { return x.c.role <= user.Admin || x.v.kind == "own" && maker(x.c) }},
	}}
}

// maker reports whether the caller can create emoji in this realm.
func maker(c *caller) bool { return c.inRealm() && members(c) == "" }

func avatarsTable() table {
	return table{"avatars", "Users' avatars.", []*row{
		{route: "POST /users/me/avatar", rule: "Users, for themselves.", who: users, do: attaches("POST /users/me/avatar")},
		{route: "DELETE /users/me/avatar", rule: "Users, for themselves.", who: users},
		{route: "GET /avatar/:user", name: "by id", rule: "Users, and spectators.", who: spectators,
			call: "GET mount /avatar/{olga}"},
		{route: "GET /avatar/:user", name: "by e-mail", rule: "Users.", who: users,
			call: "GET mount /avatar/nobody@example.com"},
		{route: "GET /avatar/:user/medium", name: "by id", rule: "Users, and spectators.", who: spectators,
			call: "GET mount /avatar/{olga}/medium"},
	}}
}

func logosTable() table {
	night := []string{"night", "true"}
	return table{"logos", "The organization's icon and logos.", []*row{
		{route: "GET /realm/icon", rule: "Users.", who: users},
		{route: "POST /realm/icon", rule: "Administrators.", who: admins, do: attaches("POST /realm/icon")},
		{route: "DELETE /realm/icon", rule: "Administrators.", who: admins},
		{route: "GET /realm/logo", rule: "Users.", who: users, with: night},
		{route: "POST /realm/logo", rule: "Administrators.", who: admins, do: attaches("POST /realm/logo", night...)},
		{route: "DELETE /realm/logo", rule: "Administrators.", who: admins, with: night},
	}}
}

func imagesTable() table {
	return table{"images", "Images that anyone who knows the URL can fetch.", []*row{
		{route: "GET mount /user_avatars/", rule: "Everyone.", who: anyone,
			call: "GET mount " + picture.Generated("somebody")},
	}}
}
