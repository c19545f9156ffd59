package send

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
)

// slashSection is the section of /register with the slash commands that the caller may run.
type slashSection struct {
	Commands []slashCommand `json:"stoa_slash_commands"`
}

// slashCommand describes a slash command to clients.
type slashCommand struct {
	Name   string `json:"name"`
	Module string `json:"module"`
	Usage  string `json:"usage"`
	Doc    string `json:"doc"`
}

// Sections returns the package's sections of /register.
func (s *Service) Sections() []kit.Section {
	return []kit.Section{kit.Register("stoa_slash_commands", s.slashCommands).Named()}
}

func (s *Service) slashCommands(ctx context.Context, a kit.Actor, _ event.Client) (slashSection, error) {
	out := slashSection{Commands: []slashCommand{}}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	for _, m := range s.Collected.Modules {
		for _, c := range m.Parts.Slash {
			if c.Access.Check(v, a) == nil {
				out.Commands = append(out.Commands, slashCommand{c.Name, m.Module, c.Usage, c.Doc})
			}
		}
	}
	return out, nil
}

type slashRequest struct {
	Command string  `json:"command"` // with the slash and the operands
	Type    string  `json:"type"`
	To      *string `json:"to"`
	Topic   *string `json:"topic"`
}

type slashResponse struct {
	Content string `json:"content"` // HTML; "" if the command has no answer
}

// slash handles POST /stoa/slash. Errors: those of POST /messages about the conversation, and those of the command.
func (s *Service) slash(ctx context.Context, a kit.Actor, in slashRequest) (slashResponse, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return slashResponse{}, err
	}
	out, err := parseRequest(v, a, request{Type: in.Type, To: in.To, Topic: in.Topic, Content: in.Command})
	if err != nil {
		return slashResponse{}, err
	}
	word, text := out.Content, ""
	if i := strings.IndexFunc(word, unicode.IsSpace); i >= 0 {
		word, text = word[:i], strings.TrimSpace(word[i:])
	}
	name, slashed := strings.CutPrefix(word, "/")
	command, module, ok := s.Collected.SlashCommand(name)
	if !slashed || !ok {
		return slashResponse{}, errs.Bad("No such command: %.60s", word)
	}
	if err := command.Access.Check(v, a); err != nil {
		return slashResponse{}, err
	}
	if err := s.draft(a, out).checkPlace(ctx, v); err != nil {
		return slashResponse{}, err
	}
	place := message.Outgoing{Channel: out.Channel, Topic: out.Topic}
	if out.Channel == 0 {
		place.To = slices.DeleteFunc(slices.Clone(out.To), func(u user.ID) bool { return u == a.User })
	}
	answer, err := s.runSlash(ctx, a, command, module, kit.Slashed{Text: text, In: place})
	if err != nil || strings.TrimSpace(answer) == "" {
		return slashResponse{}, err
	}
	if answer, err = message.Clean(answer); err != nil {
		return slashResponse{}, err
	}
	if v, err = s.Directory.View(ctx, a.Realm); err != nil {
		return slashResponse{}, err
	}
	rendered, err := s.Markup.Render(ctx, v, markup.Text{Sender: a.User, RealmURL: a.URL, Markdown: answer})
	return slashResponse{rendered.HTML}, err
}

// runSlash runs a command. A panic is an error of the module that declares it.
func (s *Service) runSlash(
	ctx context.Context, a kit.Actor, c kit.SlashCommand, module string, in kit.Slashed,
) (answer string, err error) {
	defer s.Collected.Panics.Recover(module, "/"+c.Name, &err)
	return c.Run(ctx, a, in)
}
