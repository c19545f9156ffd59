package markdown

import "strings"

// codeSpan is the position of a code span in a text, including its marks.
type codeSpan struct{ start, end, marks int }

// codeSpans returns the code spans in a text. A run of backticks opens one, and the next run of the same length closes
// it. A run after a backslash opens none.
func codeSpans(s string) []codeSpan {
	if strings.IndexByte(s, '`') < 0 {
		return nil
	}
	type run struct{ start, size int }
	var runs []run
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		start := i
		for i < len(s) && s[i] == '`' {
			i++
		}
		runs = append(runs, run{start, i - start})
	}
	next := make([]int, len(runs)) // the next run of the same size
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = -1
		if n, ok := last[runs[i].size]; ok {
			next[i] = n
		}
		last[runs[i].size] = i
	}
	var out []codeSpan
	for i := 0; i < len(runs); i++ {
		r := runs[i]
		if next[i] < 0 || r.start > 0 && s[r.start-1] == '\\' {
			continue
		}
		out = append(out, codeSpan{r.start, runs[next[i]].start + r.size, r.size})
		i = next[i]
	}
	return out
}

func (in *inline) code(s string, _ int) string {
	r := rewriting{in: in, s: s}
	for _, c := range codeSpans(s) {
		r.replace(c.start, c.end, &span{tag: "code", text: s[c.start+c.marks : c.end-c.marks]})
	}
	return r.text()
}
