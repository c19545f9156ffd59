package access_test

import (
	"strings"
)

func uploadsTable() table {
	f := &family{
		name: "file", variants: []variant{{kind: "kira's"}},
		missing: map[string]string{"path_id": "1/ff/AAAAAAAAAAAAAAAAAAAAAAAA/picture.png"},
		make: func(w *world, _ variant, _ []*caller) object {
			url := w.attach(w.kira, "POST /user_uploads").OK().String("url")
			return object{map[string]string{"path_id": strings.TrimPrefix(url, "/user_uploads/")}}
		},
		sees: func(cell) bool { return false },
	}
	return table{"uploads", "Who may upload files, and read those of others.", []*row{
		{route: "POST /user_uploads", rule: "Users.", who: users, do: attaches("POST /user_uploads")},
		{route: "GET /user_uploads/:path_id+", name: "not sent", rule: "Nobody but its owner.", who: spectators, on: f,
			call: "GET mount /user_uploads/{path_id}", may: func(cell) bool { return false }},
	}}
}
