package smtpin

import (
	"strings"
	"testing"
)

func TestPageText(t *testing.T) {
	for page, want := range map[string]string{
		"":      "",
		"plain": "plain",
		"<html><head><title>no</title><style>p{}</style></head><body><p>one<br>two</p><p>three &amp; <b>fo</b>ur</p></body>": "one\ntwo\n\nthree & four",
		"<div>a</div><div>b  \n c</div><ul><li>x</li><li>y</li></ul><table><tr><td>1</td><td>2</td></tr></table>":            "a\nb c\n• x\n• y\n1 2",
		"<div>yes</div><div>On Monday, Alice wrote:</div><blockquote><div>why?</div><blockquote>x</blockquote></blockquote>": "yes\nOn Monday, Alice wrote:\n> why?\n> > x",
		"<script>alert(1)</script>ok</p></blockquote></div><template>no":                                                     "ok",
		"a<script>": "a",
	} {
		if got := pageText(strings.NewReader(page)); got != want {
			t.Errorf("%q:\n%q, want\n%q", page, got, want)
		}
	}
	deep := strings.Repeat("<blockquote><div>", 100_000) + "x"
	if got := pageText(strings.NewReader(deep)); got != "> > > > > x" {
		t.Errorf("a deeply nested page: %d bytes", len(got))
	}
}
