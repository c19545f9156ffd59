package inbound

import "strings"

// unflow joins the lines of a text with format=flowed (RFC 3676).
func unflow(text string, deleteSpace bool) string {
	var w strings.Builder
	joins := false // the line before continues
	depth := 0     // its quote marks
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		words := strings.TrimLeft(line, ">")
		quotes := len(line) - len(words)
		words = strings.TrimPrefix(words, " ")
		flows := strings.HasSuffix(words, " ") && words != "-- "
		if flows && deleteSpace {
			words = strings.TrimSuffix(words, " ")
		}
		if !joins || quotes != depth || words == "-- " {
			if w.Len() > 0 || line == "" {
				w.WriteByte('\n')
			}
			if quotes > 0 {
				w.WriteString(line[:quotes] + " ")
			}
		}
		w.WriteString(words)
		joins, depth = flows, quotes
	}
	return strings.TrimPrefix(w.String(), "\n")
}
