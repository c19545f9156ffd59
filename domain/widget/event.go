package widget

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// maxIndex is the highest index that clients can assign to an added entry.
const maxIndex = 1000

// event has the fields of all events; pointers show which are present.
type event struct {
	Type      *string `json:"type"`
	Key       any     `json:"key"` // a string, or a number for new_task
	Vote      *int    `json:"vote"`
	Question  *string `json:"question"`
	Idx       *int    `json:"idx"`
	Option    *string `json:"option"`
	Task      *string `json:"task"`
	Desc      *string `json:"desc"`
	Completed *bool   `json:"completed"`
	Title     *string `json:"title"`
}

// CheckEvent validates an event for a widget of the given kind; author reports whether it comes from the widget's
// author. Kinds without events accept anything. Errors: BadRequest.
func CheckEvent(kind, content string, author bool) error {
	if kind != Poll && kind != Todo {
		return nil
	}
	var e event
	if err := json.Unmarshal([]byte(content), &e); err != nil || e.Type == nil {
		return errs.Bad("Invalid json for submessage")
	}
	known, valid := e.check(kind)
	switch {
	case !known:
		return errs.Bad("Unknown type for %s data: %s", kind, *e.Type)
	case !valid:
		return errs.Bad("Invalid %s data for type %s", kind, *e.Type)
	case *e.Type == "question" && !author:
		return errs.Bad("You can't edit a question unless you are the author.")
	case *e.Type == "new_task_list_title" && !author:
		return errs.Bad("You can't edit the task list title unless you are the author.")
	}
	return nil
}

func (e event) check(kind string) (known, valid bool) {
	key, _ := e.Key.(string)
	switch kind + " " + *e.Type {
	case "poll vote":
		return true, pair(key) && e.Vote != nil && (*e.Vote == 1 || *e.Vote == -1)
	case "poll question":
		return true, e.Question != nil
	case "poll new_option":
		return true, index(e.Idx) && e.Option != nil
	case "todo new_task":
		n, isNumber := e.Key.(float64)
		return true, isNumber && n == float64(int(n)) && n >= 0 && n <= maxIndex && e.Task != nil && e.Desc != nil &&
			e.Completed != nil
	case "todo strike":
		return true, pair(key)
	case "todo new_task_list_title":
		return true, e.Title != nil
	}
	return false, false
}

func index(n *int) bool { return n != nil && *n >= 0 && *n <= maxIndex }

// pair reports whether a key consists of a user ID or "canned", and an index, in either order.
func pair(key string) bool {
	a, b, found := strings.Cut(key, ",")
	part := func(s string) bool {
		n, err := strconv.ParseUint(s, 10, 63)
		return s == "canned" || err == nil && strconv.FormatUint(n, 10) == s
	}
	return found && part(a) && part(b)
}
