package widget

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// maxIndex is the highest index that clients can assign to an added entry.
const maxIndex = 1000

// Maximum lengths of what users add to a widget, in characters.
const (
	maxOption = 200 // an option of a poll, or a task
	maxDesc   = 1000
)

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
	case long(e.Option, maxOption), long(e.Task, maxOption):
		return errs.Bad("Options and tasks can have at most %d characters.", maxOption)
	case long(e.Desc, maxDesc):
		return errs.Bad("Descriptions of tasks can have at most %d characters.", maxDesc)
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

func long(text *string, most int) bool { return text != nil && utf8.RuneCountInString(*text) > most }

// Replaced returns the indexes of those of a user's former events that are obsolete after another one. These are votes
// for the same option: clients arrive at the same state without them. Of equal votes in a row, the first stays, because
// clients list voters in the order of their votes, and ignore votes for options that do not exist yet. Events that
// toggle something are never replaced, because clients may have received some of them.
func Replaced(kind string, former []string, content string) (obsolete []int) {
	key, vote, ok := voteOf(kind, content)
	if !ok {
		return nil
	}
	first := -1 // of the latest votes that equal the new one
	for i, text := range former {
		if k, v, ok := voteOf(kind, text); ok && k == key {
			if obsolete = append(obsolete, i); v != vote {
				first = -1
			} else if first < 0 {
				first = i
			}
		}
	}
	return slices.DeleteFunc(obsolete, func(i int) bool { return i == first })
}

// voteOf returns the option and the value of a vote in a poll.
func voteOf(kind, content string) (key string, vote int, ok bool) {
	var e event
	if kind != Poll || json.Unmarshal([]byte(content), &e) != nil || e.Type == nil || *e.Type != "vote" {
		return "", 0, false
	}
	if _, valid := e.check(kind); !valid {
		return "", 0, false
	}
	return e.Key.(string), *e.Vote, true
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
