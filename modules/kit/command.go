package kit

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
)

// Command declares an administrative command of a module: stoa NAME. It runs in the running server if there is one on
// the same data directory, and otherwise in the process of the command, which then is a node like any other; in both
// cases as the server itself (Actor.System), with all permissions.
//
// Flags is a struct whose fields are flags, with the struct tags of kong: help, placeholder, default, enum, required,
// arg and others. It is passed on as JSON, without the fields tagged json:"-".
//
// Res is what the command prints, as JSON with --json. Otherwise a slice of structs becomes a table, with a column for
// each field; the tag table:"NAME" names it, and table:"-" omits it. A struct becomes a line for each field, unless it
// is a fmt.Stringer.
type Command struct {
	Name       string // a noun and a verb, such as "queue list" or "mail queue list"
	Doc        string // one sentence
	Flags, Res reflect.Type
	ForServer  bool // the command is not about an organization: it has no --realm, and Actor.Realm is 0
	NoDatabase bool // the command also runs if there is no database; it uses none
	Founds     bool // the command also runs if there is no database; it creates one
	InServer   bool // the command is about the memory of the running server, and needs one
	Streams    bool // the command writes a file instead of a Res
	Reports    bool // the command shows its progress
	Asks       bool // Effect says what the command would do; it has --yes and --dry-run

	run    func(ctx context.Context, a Actor, flags []byte, w io.Writer) error
	effect func(ctx context.Context, a Actor, flags []byte) (Effect, error)
}

// NewCommand declares a command.
func NewCommand[F, R any](name string, run Handler[F, R], doc string) Command {
	return Command{
		Name: name, Doc: doc, Flags: reflect.TypeFor[F](), Res: reflect.TypeFor[R](),
		run: func(ctx context.Context, a Actor, flags []byte, w io.Writer) error {
			f, err := flagsOf[F](flags)
			if err != nil {
				return err
			}
			res, err := run(ctx, a, f)
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(res)
		},
	}
}

// NewExport declares a command that writes a file, to standard output or as --output names it.
func NewExport[F any](name string, run func(context.Context, Actor, F, io.Writer) error, doc string) Command {
	return Command{
		Name: name, Doc: doc, Flags: reflect.TypeFor[F](), Streams: true,
		run: func(ctx context.Context, a Actor, flags []byte, w io.Writer) error {
			f, err := flagsOf[F](flags)
			if err != nil {
				return err
			}
			return run(ctx, a, f, w)
		},
	}
}

// Effect is what a command would do.
type Effect struct {
	Text   string         `json:"text"`   // a sentence without period, such as "end 3 sessions of ada@example.com"
	Counts map[string]int `json:"counts"` // of what is changed or lost, by stable names
}

// Confirm makes a command ask before it runs, showing what effect returns. effect changes nothing, and fails for what
// the command would refuse.
func Confirm[F any](c Command, effect func(context.Context, Actor, F) (Effect, error)) Command {
	c.Asks = true
	c.effect = func(ctx context.Context, a Actor, flags []byte) (Effect, error) {
		f, err := flagsOf[F](flags)
		if err != nil {
			return Effect{}, err
		}
		return effect(ctx, a, f)
	}
	return c
}

// OfServer declares that the command is about the server, not about an organization.
func (c Command) OfServer() Command { c.ForServer = true; return c }

// WithoutDatabase declares that the command uses no database, so that it also runs before there is one.
func (c Command) WithoutDatabase() Command { c.NoDatabase = true; return c }

// Founding declares that the command may create the first organization: it creates the database and its tables if there
// are none.
func (c Command) Founding() Command { c.Founds = true; return c }

// OfMemory declares that the command is about what the running server has in its memory.
func (c Command) OfMemory() Command { c.InServer = true; return c }

// Run runs the command with flags in JSON, and writes the response in JSON, or the file.
func (c Command) Run(ctx context.Context, a Actor, flags []byte, w io.Writer) error {
	return c.run(ctx, a, flags, w)
}

// Effect returns what the command would do.
func (c Command) Effect(ctx context.Context, a Actor, flags []byte) (Effect, error) {
	return c.effect(ctx, a, flags)
}

func flagsOf[F any](text []byte) (F, error) {
	var f F
	err := json.Unmarshal(text, &f)
	return f, err
}

// Password holds the flags of commands that take a password, which embed it. Text is what was read; "": nothing. The
// password itself is no flag, since all users of a machine see the flags of its processes.
type Password struct {
	Text   string `kong:"-"`
	Stdin  bool   `name:"password-stdin" json:"-" help:"Read the password from standard input."`
	File   string `name:"password-file" json:"-" placeholder:"FILE" help:"Read the password from a file."`
	Prompt bool   `name:"password-prompt" json:"-" help:"Ask for the password on the terminal."`
}

// Passwords returns p, so that the command line can complete the flags of a command that embeds it.
func (p *Password) Passwords() *Password { return p }

// NewPassword is Password for commands that generate a password if none is given. The command line writes it to a file
// in the data directory. Its name is the PasswordFile of the response, which needs a method PasswordFile() string.
type NewPassword struct{ Password }

// Generates marks the type for the command line.
func (NewPassword) Generates() {}

// FileArgument holds the argument of commands that read a file, which embed it. The command line reads the file, since
// the server may neither be allowed to nor have the same current directory.
type FileArgument struct {
	Bytes []byte `kong:"-"`
	File  string `arg:"" name:"file" json:"-" help:"The file to read."`
}

// Files returns f, so that the command line can complete the flags of a command that embeds it.
func (f *FileArgument) Files() *FileArgument { return f }
