package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help returns the long text of --help.
func (completion) Help() string {
	return `Load it in the running shell:

  bash:  source <(stoa completion bash)
  zsh:   source <(stoa completion zsh)
  fish:  stoa completion fish | source`
}

// Run prints the script.
func (c *completion) Run(e *env) error {
	words := wordsOf(e.model.Node, "", nil)
	switch c.Shell {
	case "bash":
		return bash(e.Out, words)
	case "zsh":
		return zsh(e.Out, words)
	default:
		return fish(e.Out, words)
	}
}

// word is a command or flag that can follow a command.
type word struct {
	after string // the commands before it, such as "user create"
	text  string
	help  string
}

// wordsOf returns the words of a command and its subcommands, which inherit the flags of outer commands.
func wordsOf(n *kong.Node, path string, outer []*kong.Flag) []word {
	var out []word
	flags := append(slices.Clone(outer), n.Flags...)
	own := flags
	if n.DefaultCmd != nil {
		own = append(slices.Clone(flags), n.DefaultCmd.Flags...)
	}
	for _, f := range own {
		if !f.Hidden {
			out = append(out, word{path, "--" + f.Name, f.Help})
		}
	}
	for _, arg := range n.Positional {
		for _, v := range arg.EnumSlice() {
			out = append(out, word{path, v, arg.Help})
		}
	}
	for _, c := range n.Children {
		if c.Hidden {
			continue
		}
		out = append(out, word{path, c.Name, c.Help})
		out = append(out, wordsOf(c, strings.TrimSpace(path+" "+c.Name), flags)...)
	}
	return out
}

// paths groups words by the commands before them, in order of appearance.
func paths(words []word) ([]string, map[string][]word) {
	var order []string
	by := map[string][]word{}
	for _, w := range words {
		if _, ok := by[w.after]; !ok {
			order = append(order, w.after)
		}
		by[w.after] = append(by[w.after], w)
	}
	return order, by
}

// script writes a shell function that determines the commands typed so far and offers the words that can follow. It
// works in bash and zsh, which can load bash completions.
func script(out io.Writer, words []word) error {
	var b strings.Builder
	order, by := paths(words)
	b.WriteString("_stoa() {\n  local path='' w i cur=${COMP_WORDS[COMP_CWORD]}\n")
	b.WriteString("  for ((i = 1; i < COMP_CWORD; i++)); do\n    w=${COMP_WORDS[i]}\n    case \"${path:+$path }$w\" in\n")
	var commands []string
	for _, p := range order {
		if p != "" {
			commands = append(commands, "'"+p+"'")
		}
	}
	fmt.Fprintf(
		&b,
		"      %s) path=\"${path:+$path }$w\" ;;\n    esac\n  done\n  case \"$path\" in\n",
		strings.Join(commands, "|"),
	)
	for _, p := range order {
		texts := make([]string, len(by[p]))
		for i, w := range by[p] {
			texts[i] = w.text
		}
		fmt.Fprintf(&b, "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", p, strings.Join(texts, " "))
	}
	b.WriteString("  esac\n}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func bash(out io.Writer, words []word) error {
	if err := script(out, words); err != nil {
		return err
	}
	_, err := io.WriteString(out, "complete -o default -F _stoa stoa\n")
	return err
}

func zsh(out io.Writer, words []word) error {
	if _, err := io.WriteString(out, "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && "+
		"bashcompinit\n"); err != nil {
		return err
	}
	return bash(out, words)
}

func fish(out io.Writer, words []word) error {
	var b strings.Builder
	order, by := paths(words)
	b.WriteString("complete -c stoa -f\n")
	for _, p := range order {
		for _, w := range by[p] {
			what := "-a " + quoted(w.text)
			if flag, ok := strings.CutPrefix(w.text, "--"); ok {
				what = "-l " + quoted(flag)
			}
			fmt.Fprintf(&b, "complete -c stoa -n %s %s -d %s\n", quoted(condition(p, by)), what, quoted(w.help))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// condition returns the fish condition for a path: its commands have been typed, but none that can follow it.
func condition(path string, by map[string][]word) string {
	var next []string
	for _, w := range by[path] {
		if !strings.HasPrefix(w.text, "--") {
			next = append(next, w.text)
		}
	}
	if path == "" {
		return "__fish_use_subcommand"
	}
	var parts []string
	for p := range strings.FieldsSeq(path) {
		parts = append(parts, "__fish_seen_subcommand_from "+p)
	}
	if len(next) > 0 {
		parts = append(parts, "not __fish_seen_subcommand_from "+strings.Join(next, " "))
	}
	return strings.Join(parts, "; and ")
}

func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
