package kit

import "strings"

// AcceptsCoding reports whether an Accept-Encoding header allows a content coding, such as gzip.
func AcceptsCoding(header, coding string) bool {
	allowed := false
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.TrimSpace(name)
		if !strings.EqualFold(name, coding) && name != "*" {
			continue
		}
		quality := strings.ReplaceAll(parameters, " ", "")
		nonzero := strings.Trim(strings.TrimPrefix(strings.ToLower(quality), "q="), "0.") != "" || quality == ""
		if name != "*" {
			return nonzero
		}
		allowed = nonzero
	}
	return allowed
}
