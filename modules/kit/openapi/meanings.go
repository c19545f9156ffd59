package openapi

import (
	_ "embed" // meanings.txt
	"slices"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// meanings.txt says when responses have a code: a line each.
//
//go:embed meanings.txt
var meaningsText string

// Meanings returns when responses have a code. Codes of a team's own modules have no meaning.
var Meanings = sync.OnceValue(func() map[errs.Code]string {
	all := map[errs.Code]string{}
	for line := range strings.Lines(meaningsText) {
		code, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[errs.Code(code)] = text
	}
	return all
})

// ErrorCase is an error that an operation may answer with.
type ErrorCase struct {
	Code   errs.Code `json:"code"`
	Status int       `json:"status"`
	When   string    `json:"when,omitempty"`
	Keys   []string  `json:"keys,omitempty"` // that the response may have besides result, msg and code
}

// addCases lists the errors of all operations, with each status that a recorded one has.
func (d *Document) addCases() {
	for _, x := range d.exchanges {
		o := x.operation
		statuses := map[errs.Code][]int{}
		for _, r := range d.Refusals(o) {
			statuses[r.Code()] = append(statuses[r.Code()], r.Status)
		}
		for _, code := range o.Codes {
			all := slices.Concat(statuses[code], []int{kit.StatusOf(code)})
			slices.Sort(all)
			for _, status := range slices.Compact(all) {
				o.Errors = append(o.Errors, ErrorCase{code, status, Meanings()[code], extraKeys(code)})
			}
		}
	}
}
