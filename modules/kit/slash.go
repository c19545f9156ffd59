package kit

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/message"
)

// SlashCommand is a command that people write in the compose box: /name, followed by its operands.
type SlashCommand struct {
	Name   string // without the slash
	Usage  string // a hint at the operands, such as "@person reason"; "": none
	Doc    string // a sentence
	Access Access
	Run    func(ctx context.Context, a Actor, in Slashed) (string, error)
}

// Slashed is a slash command as somebody has written it.
type Slashed struct {
	Text string // what follows the name
	// In is the conversation, in which the caller may post, without content. The sender is not in To.
	In message.Outgoing
}

// Message returns a message to the conversation, for ports.Sender.
func (s Slashed) Message(content string) message.Outgoing {
	s.In.Content = content
	return s.In
}

// Slash returns a slash command. run receives the caller's text, and answers with Markdown that only the caller sees;
// "" is no answer. What others shall see, it sends.
func Slash(
	name string, access Access, run func(context.Context, Actor, Slashed) (string, error), doc string,
) SlashCommand {
	return SlashCommand{Name: name, Access: access, Run: run, Doc: doc}
}

// Operands sets the hint at what follows the name.
func (c SlashCommand) Operands(usage string) SlashCommand { c.Usage = usage; return c }

var (
	slashName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,29}$`)
	// ownSlash lists the names of commands that clients, messages and the module widgets know.
	ownSlash = []string{
		"me", "poll", "todo", "ping", "dark", "night", "light", "day", "fluid-width", "fixed-width",
	}
)

// maxUsage is the maximum length of the hint at a command's operands, in code points.
const maxUsage = 60

// Problems describes the errors in the declaration.
func (c SlashCommand) Problems() []string {
	var all []string
	if !slashName.MatchString(c.Name) {
		all = append(all, "its name must consist of at most 30 lower-case letters, digits and -")
	}
	if slices.Contains(ownSlash, c.Name) {
		all = append(all, "it has the name of a command of the server; choose another")
	}
	if c.Run == nil || c.Access.Name() == "" {
		all = append(all, "it needs an access rule and a handler; create it with kit.Slash")
	}
	if !strings.HasSuffix(c.Doc, ".") {
		all = append(all, "it needs a sentence that says what it does")
	}
	if strings.ContainsAny(c.Usage, "\r\n") || utf8.RuneCountInString(c.Usage) > maxUsage {
		all = append(all, "the hint at its operands must be a line of at most 60 characters")
	}
	return all
}

// SlashCommand returns a slash command by its name, and the module that declares it, or false if none does.
func (c *Collected) SlashCommand(name string) (SlashCommand, string, bool) {
	for _, m := range c.Modules {
		for _, command := range m.Parts.Slash {
			if command.Name == name {
				return command, m.Module, true
			}
		}
	}
	return SlashCommand{}, "", false
}
