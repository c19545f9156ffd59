package access_test

import (
	"encoding/base64"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

const tusPath = "/api/v1/tus"

// resume sends a request of the tus protocol. upload is "" if the request is not about an upload.
func (w *fixture) resume(c *caller, method, upload, body string, headers ...string) *kittest.Response {
	w.t.Helper()
	path := tusPath + "/" + upload
	req := c.at.Under("").Request(method+" "+path, strings.NewReader(body))
	req.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if c.host != "" {
		req.Host = c.host
	}
	return w.send(req, method+" "+path)
}

func (w *fixture) beginUpload(c *caller) *kittest.Response {
	name := base64.StdEncoding.EncodeToString([]byte("a.txt"))
	return w.resume(c, "POST", "", "", "Upload-Length", "1", "Upload-Metadata", "filename "+name)
}

// uploadOf returns the upload that a response has created.
func uploadOf(a *kittest.Response) object {
	_, id, _ := strings.Cut(a.Header.Get("Location"), tusPath+"/")
	return object{map[string]string{"upload": id}}
}

// begun returns incomplete uploads: the caller's own, or olga's if the caller cannot have any.
func begun() *family {
	return &family{
		name: "upload", missing: map[string]string{"upload": "1/ff/AAAAAAAAAAAAAAAAAAAAAAAA/a.txt"},
		sees:     func(cell) bool { return false },
		variants: []variant{{kind: "olga's"}, {kind: "own", each: true}},
		make: func(w *fixture, v variant, who []*caller) object {
			of := w.olga
			if v.kind == "own" && users(who[0]) == "" && who[0].inRealm() {
				of = who[0]
			}
			return uploadOf(w.beginUpload(of))
		},
	}
}

func tusRows() []*row {
	const route, rule = "GET mount " + tusPath, "The owner of the upload."
	on := func(method, body string, headers ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			return w.resume(x.c, method, x.o.fields["upload"], body, headers...)
		}
	}
	// Errors of the tus protocol have their own format, without codes.
	enters := func(c *caller) string {
		if users(c) != "" {
			return "401"
		}
		return ""
	}
	own := func(x cell) bool { return x.v.kind == "own" && x.c.inRealm() }
	begins := func(w *fixture, x cell) *kittest.Response {
		a := w.beginUpload(x.c)
		if outcome(a) == allowed {
			w.resume(x.c, "DELETE", uploadOf(a).fields["upload"], "")
		}
		return a
	}
	part := on("PATCH", "x", "Content-Type", "application/offset+octet-stream", "Upload-Offset", "0")
	return []*row{
		{route: route, rule: "All users pass the check; the object never exists.", who: resuming},
		{
			route: route,
			name:  "capabilities",
			rule:  "Everyone: browsers send no credentials.",
			who:   anyone,
			do:    on("OPTIONS", ""),
		},
		{route: route, name: "begin", rule: "Users.", who: enters, do: begins},
		{route: route, name: "offset", rule: rule, who: enters, on: begun(), may: own, do: on("HEAD", "")},
		{route: route, name: "part", rule: rule, who: enters, on: begun(), may: own, lasts: true, do: part},
		{route: route, name: "cancel", rule: rule, who: enters, on: begun(), may: own, lasts: true, do: on("DELETE", "")},
	}
}

// resuming admits users. Its errors have the format of the tus protocol.
func resuming(c *caller) string {
	if users(c) != "" {
		return "401"
	}
	return "405"
}
