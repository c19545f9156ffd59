package alertword

import (
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/markdown"
)

// withoutCode gives a message's source without its fenced code; fences that hold text stay. A fence that nothing closes runs
// to the end.
func withoutCode(source string) string {
	if !strings.Contains(source, "```") && !strings.Contains(source, "~~~") {
		return source
	}
	var left, open []string // open: the marks of the fences that are, outermost first
	code := false           // the innermost of them holds code
	for line := range strings.SplitSeq(source, "\n") {
		if at := slices.Index(open, strings.TrimRight(line, " ")); at >= 0 {
			open, code = open[:at], false
			continue
		}
		if code {
			continue
		}
		f, ok := markdown.OpenFence(line)
		if !ok {
			left = append(left, line)
			continue
		}
		open = append(open, f.Marks)
		switch f.Language {
		case "quote", "quoted", "spoiler":
			left = append(left, f.Header)
		default:
			code = true
		}
	}
	return strings.Join(left, "\n")
}
