package access_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// attachFile uploads a text file.
func (w *fixture) attachFile(c *caller, name, content string) *kittest.Response {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	w.must(err)
	_, err = part.Write([]byte(content))
	w.must(err)
	w.must(form.Close())
	req := c.at.Request("POST /user_uploads", &b)
	req.Header.Set("Content-Type", form.FormDataContentType())
	if c.host != "" {
		req.Host = c.host
	}
	return w.send(req, "POST /user_uploads")
}

// fileObject returns the fields of a file that requests refer to.
func fileObject(url string) object {
	path := strings.TrimPrefix(url, "/user_uploads/")
	realm, rest, _ := strings.Cut(path, "/")
	return object{map[string]string{"path_id": path, "realm_id": realm, "filename": rest}}
}

// noFile returns the fields of a missing file.
func noFile() map[string]string {
	return map[string]string{"path_id": "1/ff/AAAAAAAAAAAAAAAAAAAAAAAA/a.txt",
		"filename": "ff/AAAAAAAAAAAAAAAAAAAAAAAA/a.txt", "attachment_id": "987654321"}
}

// unsent returns files that no message links to.
func unsent() *family {
	return &family{name: "file", missing: noFile(), sees: func(cell) bool { return false },
		variants: []variant{{kind: "not sent"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			return fileObject(w.attachFile(w.olga, "a.txt", "x").OK().String("url"))
		}}
}

// sentFiles returns files in other users' messages.
func sentFiles() *family {
	f := &family{name: "file", missing: noFile(), sees: cell.seesMessage}
	for _, v := range messages().variants {
		if !v.each || v.kind == "direct" && v.relation == "recipient" {
			f.variants = append(f.variants, v)
		}
	}
	f.make = func(w *fixture, v variant, who []*caller) object {
		url := w.attachFile(w.olga, "a.txt", "x").OK().String("url")
		m := makeMessageWith(w, v, who, "[a.txt]("+url+")")
		for k, value := range fileObject(url).fields {
			m.fields[k] = value
		}
		return m
	}
	return f
}

// changedFiles returns files in messages that were moved or whose channel was changed. Only olga is subscribed to these
// channels, except for the lobby.
func changedFiles() *family {
	f := &family{name: "file", missing: noFile(), sees: readsChanged}
	for _, kind := range []string{
		"deleted", "edited out", "moved from public to private", "moved from private to the lobby", "made private",
		"made public", "made web-public",
	} {
		f.variants = append(f.variants, variant{kind: kind})
	}
	f.make = func(w *fixture, v variant, _ []*caller) object {
		url := w.attachFile(w.olga, "a.txt", "x").OK().String("url")
		from, to := variant{kind: "public"}, variant{kind: "private"}
		if strings.HasPrefix(v.kind, "moved from private") || v.kind == "made public" {
			from = variant{kind: "private"}
		}
		ch := makeChannel(w, from, nil)
		m := w.post(w.olga, object{map[string]string{}}, "type", "channel", "to", ch.fields["id"], "topic", "t", "content",
			"[a.txt]("+url+")")
		message, channel := "/messages/"+m.fields["id"], "/streams/"+ch.fields["id"]
		switch v.kind {
		case "deleted":
			w.do("DELETE " + message)
		case "edited out":
			w.do("PATCH "+message, "content", "nothing")
		case "moved from public to private":
			w.do("PATCH "+message, "stream_id", makeChannel(w, to, nil).fields["id"])
		case "moved from private to the lobby":
			w.do("PATCH "+message, "stream_id", w.fields["lobby"], "topic", w.fresh())
		case "made private":
			w.do("PATCH "+channel, "is_private", "true", "history_public_to_subscribers", "true")
		case "made public":
			w.do("PATCH "+channel, "is_private", "false")
		case "made web-public":
			w.do("PATCH "+channel, "is_web_public", "true")
		}
		return fileObject(url)
	}
	return f
}

// readsChanged reports whether the caller can read a file of changedFiles.
func readsChanged(x cell) bool {
	switch x.v.kind {
	case "moved from private to the lobby":
		return x.c.inRealm()
	case "made public":
		return x.c.inRealm() && !x.c.guest()
	case "made web-public":
		return x.c.inRealm() || x.c.spectator
	}
	return false
}

// ownFiles returns the caller's own files, or olga's if the caller cannot have any.
func ownFiles() *family {
	return &family{name: "attachment", missing: noFile(), sees: func(cell) bool { return false },
		variants: []variant{{kind: "olga's"}, {kind: "own", each: true}},
		make: func(w *fixture, v variant, who []*caller) object {
			of := w.olga
			if v.kind == "own" && users(who[0]) == "" && who[0].inRealm() {
				of = who[0]
			}
			o := fileObject(w.attachFile(of, "a.txt", "x").OK().String("url"))
			all := w.ask(of, "GET /attachments").OK().Get("attachments").([]any)
			o.fields["attachment_id"] = fmt.Sprint(all[len(all)-1].(map[string]any)["id"])
			return o
		}}
}

func uploadsTable() table {
	never := func(cell) bool { return false }
	own := func(x cell) bool { return x.v.kind == "own" && x.c.inRealm() }
	temporary := &family{name: "temporary", missing: map[string]string{"at": "/user_uploads/temporary/x/a.txt"},
		variants: []variant{{kind: "olga's"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			f := w.attachFile(w.olga, "a.txt", "x").OK().String("url")
			return object{map[string]string{"at": w.do("GET " + f).String("url")}}
		}}
	var rows []*row
	for _, r := range []*row{
		{route: "GET /user_uploads/:path_id+", who: spectators, call: "GET mount /user_uploads/{path_id}"},
		{route: "GET /user_uploads/download/:path_id+", who: spectators, call: "GET mount /user_uploads/download/{path_id}"},
		{route: "GET /user_uploads/:realm_id/:filename+", who: users},
		{route: "GET /thumbnail/status/:path_id+", who: users},
	} {
		one, two, three := *r, *r, *r
		one.name, one.rule, one.on, one.may = "not sent", "Only the owner.", unsent(), never
		two.name, two.rule, two.on, two.may = "sent", "Users who can see the message.", sentFiles(), cell.seesMessage
		three.name, three.rule, three.on, three.may = "changed since", "Users who can see the message now.", changedFiles(),
			readsChanged
		rows = append(rows, &one, &two, &three)
	}
	rows = append(rows, tusRows()...)
	return table{"uploads", "Who can upload files and read those of other users.", append(rows,
		&row{route: "POST /user_uploads", rule: "Users.", who: users, do: attaches("POST /user_uploads")},
		&row{route: "GET /user_uploads/temporary/:token/:filename", rule: "Everyone who knows the URL.", who: anyone,
			on: temporary, call: "GET mount {at}"},
		&row{route: "GET /user_uploads/thumbnail/:path_id+", name: "of no image", rule: "No one.", who: spectators,
			on:   unsent(),
			call: "GET mount /user_uploads/thumbnail/{path_id}/840x560.webp", may: never},
		&row{route: "GET mount /static/images/loading", name: "no such file", rule: "No one.", who: always("404")},
		&row{route: "GET /attachments", rule: "Users, for themselves.", who: users},
		&row{route: "DELETE /attachments/:attachment_id", rule: "Its owner.", who: users, on: ownFiles(), may: own,
			lasts: true},
	)}
}
