package leftout_test

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// step is something that happens on a server. Words in braces in its call and parameters stand for what earlier steps
// have kept: IDs and paths.
type step struct {
	what   string // what happens, as shown in the table; "" belongs to the step before
	who    string
	call   string
	params []string
	keep   string // NAME=PATH keeps the value at the path of the response
	file   string // content of an uploaded file; "png": an image
}

// does returns a step. what may begin with NAME=PATH, see keep.
func does(what, who, call string, params ...string) step {
	keep, rest, found := strings.Cut(what, ": ")
	if !found {
		keep, rest = "", what
	}
	return step{what: rest, who: who, call: call, params: params, keep: keep}
}

// puts returns a step that uploads a file.
func puts(what, who, call, file string, params ...string) step {
	one := does(what, who, call, params...)
	one.file = file
	return one
}

// posts returns a step that sends a message to a topic of general.
func posts(what, who, topic, content string) step {
	return does(what, who, "POST /messages", "type", "channel", "to", `"general"`, "topic", topic, "content", content)
}

// play performs the steps, except those to be skipped, and returns the positions of those that failed.
func (w *world) play(steps []step, skip map[int]bool) map[int]bool {
	w.s.T.Helper()
	failed := map[int]bool{}
	for i, one := range steps {
		if !skip[i] && !w.perform(one) {
			failed[i] = true
		}
		w.s.Clock.Advance(stepTime)
	}
	return failed
}

func (w *world) perform(one step) bool {
	w.s.T.Helper()
	filled := func(text string) string {
		for name, value := range w.kept {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	call := filled(one.call)
	params := make([]string, len(one.params))
	for i, p := range one.params {
		params[i] = filled(p)
	}
	if strings.Contains(call+strings.Join(params, ""), "{?") {
		return false // needs what a step that failed would have kept
	}
	if one.call == "join" {
		return w.join(one.who)
	}
	client := w.client(one.who)
	var a *kittest.Response
	switch one.file {
	case "":
		a = client.Do(call, params...)
	case "png":
		a = client.Upload(call, "a.png", kittest.PNG(40, 40), params...)
	default:
		a = client.Upload(call, one.file+".txt", []byte(one.file), params...)
	}
	if a.Status >= 500 {
		w.s.T.Errorf("%s: %d %s", one.what, a.Status, a.Body)
	}
	if a.Status != 200 {
		w.refused = append(w.refused, fmt.Sprintf("%s %s: %d %.200s", one.who, call, a.Status, a.Body))
		return false
	}
	if name, path, ok := strings.Cut(one.keep, "="); ok {
		w.kept["?"+name] = strings.Trim(kittest.JSON(a.Get(path)), `"`)
	}
	return true
}

// client returns the client of a user.
func (w *world) client(who string) *kittest.Client {
	if key := w.keys[who]; key != "" {
		return w.s.WithKey(who+"@example.com", key)
	}
	return w.s.As(who)
}

// join creates the account of another user.
func (w *world) join(who string) bool {
	w.s.T.Helper()
	by := user.Actor{Realm: w.s.Realm, System: true}
	ctx := w.s.T.Context()
	id, err := w.s.Ports.Accounts.Create(ctx, by, ports.NewUser{
		Email: who + "@example.com", FullName: strings.ToUpper(who[:1]) + who[1:], Role: user.Member,
		Password: kittest.Password,
	})
	if err != nil {
		w.s.T.Error(err)
		return false
	}
	w.kept["?"+who] = fmt.Sprint(id)
	if w.keys[who], err = w.s.Ports.Accounts.IssueKey(ctx, by, id); err != nil {
		w.s.T.Error(err)
	}
	return true
}
