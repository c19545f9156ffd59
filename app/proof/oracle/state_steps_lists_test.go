package oracle_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

// lists changes one of a realm's lists: domains, linkifiers, playgrounds or emoji.
func lists(w *simulation) {
	switch w.rnd.IntN(4) {
	case 0:
		domains(w)
	case 1:
		linkifiers(w)
	case 2:
		playgrounds(w)
	case 3:
		emoji(w)
	}
}

func domains(w *simulation) {
	name := fmt.Sprintf("d%d.example.org", w.rnd.IntN(3))
	if a := w.do("olga", "POST /realm/domains", "domain", name, "allow_subdomains", w.flag()); a.Status == 200 {
		return
	}
	if w.rnd.IntN(2) == 0 {
		w.do("olga", "PATCH /realm/domains/"+name, "allow_subdomains", w.flag())
	} else {
		w.do("olga", "DELETE /realm/domains/"+name)
	}
}

func linkifiers(w *simulation) {
	ids := w.ids("GET /realm/linkifiers", "linkifiers", "id")
	w.made++
	params := []string{"pattern", fmt.Sprintf("T%d-(?P<id>[0-9]+)", w.made), "url_template", "https://example.com/{id}"}
	switch kind := w.rnd.IntN(4); {
	case len(ids) == 0 || kind == 0 && len(ids) < 6:
		w.do(w.manager(), "POST /realm/filters", params...)
	case kind == 1:
		w.do(w.manager(), fmt.Sprintf("PATCH /realm/filters/%d", one(w, ids)), params...)
	case kind == 2:
		w.rnd.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		w.do(w.manager(), "PATCH /realm/linkifiers", "ordered_linkifier_ids", kittest.JSON(ids))
	default:
		w.do(w.manager(), fmt.Sprintf("DELETE /realm/filters/%d", one(w, ids)))
	}
}

func playgrounds(w *simulation) {
	if len(w.grounds) > 0 && w.rnd.IntN(2) == 0 {
		w.do(w.manager(), fmt.Sprintf("DELETE /realm/playgrounds/%d", one(w, w.grounds)))
		return
	}
	a := w.do(w.manager(), "POST /realm/playgrounds", "name", w.name("ground"), "pygments_language",
		one(w, []string{"Go", "Python"}), "url_template", "https://play.example.com/{code}")
	if a.Status == 200 {
		w.grounds = append(w.grounds[max(0, len(w.grounds)-3):], a.Int("id"))
	}
}

func emoji(w *simulation) {
	path, who := "/realm/emoji/"+one(w, []string{"first", "second"}), w.manager()
	if a := w.note(who, "POST "+path, nil, w.as(who).Upload("POST "+path, "picture.png",
		kittest.PNG(8, 8))); a.Status != 200 {
		w.do(who, "DELETE "+path)
	}
}

// ids returns the IDs in a list that olga requests.
func (w *simulation) ids(call, list, key string, params ...string) (ids []int64) {
	a := w.as("olga").Do(call, params...)
	if a.Status != 200 { // olga is a guest now
		return nil
	}
	var all object
	a.JSON(&all)
	for _, r := range all[list].([]any) {
		ids = append(ids, number(r.(object)[key]))
	}
	return ids
}
