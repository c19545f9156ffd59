package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manual struct{}

// Run prints the manual page in the format man(7), from the help of all commands.
func (manual) Run(e *env) error {
	p := page{}
	p.line(".TH STOA 1 \"\" %q \"User Commands\"", "stoa "+e.version())
	p.line(".SH NAME")
	p.line(`stoa \- a team chat server`)
	p.line(".SH SYNOPSIS")
	p.line(`\fBstoa\fR \fICOMMAND\fR [\fIFLAGS\fR]`)
	p.line(".SH DESCRIPTION")
	p.text("Stoa is a team chat server: channels, topics and direct messages, for browsers and for Zulip's apps. " +
		"\"stoa serve\" runs it; the other commands manage it, most of them while it runs.")
	p.line(".SH COMMANDS")
	for _, n := range e.model.Leaves(true) {
		p.command(n)
	}
	p.line(".SH OPTIONS")
	p.text("All commands have these options:")
	p.flags(e.model.Flags)
	p.line(".SH ENVIRONMENT")
	p.text("A variable overrides the key of the configuration file that it is named after, such as STOA_HTTP_ADDR for " +
		"http.addr. STOA_CONFIG names the file.")
	p.line(".SH EXIT STATUS")
	for _, c := range exitCodes {
		p.line(".TP\n%d\n%s", c.code, escaped(c.meaning))
	}
	p.line(".SH SEE ALSO")
	p.text("https://github.com/stoachat/stoa")
	_, err := io.WriteString(e.Out, p.String())
	return err
}

var exitCodes = []struct {
	code    int
	meaning string
}{
	{done, "success"}, {failed, "failure"}, {usage, "wrong usage or configuration"},
	{absent, "something named does not exist"}, {refused, "refused, because it would do harm"},
	{unavailable, "a database or a store does not respond"}, {forced, "stopped by a second signal"},
}

// page is the text of a manual page.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { _, _ = fmt.Fprintf(p, format+"\n", args...) }

func (p *page) text(s string) { p.line("%s", escaped(s)) }

// command describes a command: its usage, help and own flags.
func (p *page) command(n *kong.Node) {
	var args strings.Builder
	for _, a := range n.Positional {
		args.WriteString(" " + a.Summary())
	}
	p.line(`.SS "stoa %s%s"`, escaped(words(n)), escaped(args.String()))
	if n.Help != "" {
		p.text(n.Help)
	}
	for _, a := range n.Positional {
		if a.Help != "" {
			p.line(".TP\n\\fI%s\\fR", escaped(a.Name))
			p.text(a.Help)
		}
	}
	var flags []*kong.Flag
	for at := n; at.Type == kong.CommandNode; at = at.Parent {
		flags = append(flags, at.Flags...)
	}
	p.flags(flags)
	if n.Detail != "" {
		p.line(".PP")
		p.detail(n.Detail)
	}
}

// detail prints paragraphs. Indented lines keep their form.
func (p *page) detail(text string) {
	example := false
	for l := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(l, "  ")
		switch {
		case indented && !example:
			p.line(".EX")
		case !indented && example:
			p.line(".EE")
		}
		example = indented
		if l == "" {
			p.line(".PP")
		} else {
			p.text(l)
		}
	}
	if example {
		p.line(".EE")
	}
}

func (p *page) flags(all []*kong.Flag) {
	for _, f := range all {
		if f.Hidden || f.Name == "help" {
			continue
		}
		p.line(".TP\n\\fB%s\\fR", escaped(f.String()))
		p.text(f.Help)
	}
}

// words returns the words of a command after the program's name. That of a default command is that of its parent.
func words(n *kong.Node) string {
	if n.Parent != nil && n.Parent.DefaultCmd == n {
		n = n.Parent
	}
	return n.Path()
}

// escaped quotes what roff would interpret.
func escaped(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\u00a0", `\ `).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
