package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/stoachat/stoa/app/internal/admin"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// run runs a command of a module, after asking if the command asks.
func (d *declared) run(e *env) error {
	generated, err := d.password(e)
	if err == nil {
		err = d.readFile()
	}
	if err != nil {
		return err
	}
	flags, err := json.Marshal(d.flags)
	if err != nil {
		return err
	}
	call := server.Call{Name: d.Name, Flags: flags}
	if d.of != nil {
		if call.Of, err = d.of.selected(); err != nil {
			return err
		}
	}
	if d.Asks {
		if goOn, err := d.ask(e, call); err != nil || !goOn {
			return err
		}
	}
	if d.Streams {
		return d.export(e, call)
	}
	var out bytes.Buffer
	if err := d.respond(e, call, &out); err != nil {
		return err
	}
	if d.JSON && generated == "" {
		_, err := e.Out.Write(out.Bytes())
		return err
	}
	res := reflect.New(d.Res)
	if err := json.Unmarshal(out.Bytes(), res.Interface()); err != nil {
		return fmt.Errorf("the response of the running server can't be read; restart it after an upgrade: %w", err)
	}
	if !d.Quiet && !d.JSON {
		if err := show(e.Out, res.Elem()); err != nil {
			return err
		}
	}
	if generated == "" {
		return nil
	}
	return d.save(e, generated, res.Interface().(interface{ PasswordFile() string }).PasswordFile(), out.Bytes())
}

// password completes the flags of a command that takes a password. If none is given, and the command then generates
// one, it returns that.
func (d *declared) password(e *env) (generated string, err error) {
	s, ok := d.flags.(interface{ Passwords() *kit.Password })
	if !ok {
		return "", nil
	}
	p := s.Passwords()
	if err := e.readPassword(p); err != nil {
		return "", err
	}
	if _, ok := d.flags.(interface{ Generates() }); ok && p.Text == "" {
		p.Text = newPassword()
		return p.Text, nil
	}
	return "", nil
}

// readFile completes the flags of a command that reads a file.
func (d *declared) readFile() error {
	s, ok := d.flags.(interface{ Files() *kit.FileArgument })
	if !ok {
		return nil
	}
	in := s.Files()
	f, err := os.Open(in.File)
	if err != nil {
		return codedError{err, absent}
	}
	defer func() { _ = f.Close() }() // it was only read
	in.Bytes, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(in.Bytes) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", in.File, maxFile>>20)
	}
	return err
}

// maxFile is the maximum size of a file that a command reads, in bytes. In Base64, it fits into a call.
const maxFile = 20 << 20

// save writes a generated password to a file, and prints its path, with --json together with the response.
func (d *declared) save(e *env, generated, name string, response []byte) error {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	path, err := e.savePassword(cfg.Settings.DataDir, name, generated, d.JSON || d.Quiet)
	switch {
	case err != nil:
		return err
	case d.JSON:
		out := map[string]any{}
		if err := json.Unmarshal(response, &out); err != nil {
			return err
		}
		out["password_file"] = path
		return json.NewEncoder(e.Out).Encode(out)
	case !d.Quiet:
		e.printf("password file %s\n", path)
	}
	return nil
}

// ask shows what the command would do, and reports whether to do it.
func (d *declared) ask(e *env, call server.Call) (bool, error) {
	if d.Yes && !d.DryRun {
		return true, nil
	}
	call.Ask = true
	var out bytes.Buffer
	if err := d.act(e, call, &out); err != nil {
		return false, err
	}
	var effect kit.Effect
	if err := json.Unmarshal(out.Bytes(), &effect); err != nil {
		return false, err
	}
	switch t, interactive := e.terminal(); {
	case d.DryRun && d.JSON:
		_, err := e.Out.Write(out.Bytes())
		return false, err
	case d.DryRun:
		e.printf("This would %s.\n", effect.Text)
		return false, nil
	case interactive:
		yes, err := t.agrees(fmt.Sprintf("This will %s. Continue?", effect.Text))
		if err == nil && !yes {
			err = codedError{errors.New("nothing was changed"), refused}
		}
		return yes, err
	}
	return false, codedError{fmt.Errorf("this would %s; add --yes to do it, or --dry-run to only see this", effect.Text),
		refused}
}

// act runs a command in the running server, or, if none is running on the data directory, in this process, and writes
// the response to w.
func (d *declared) act(e *env, call server.Call, w io.Writer) error {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	call.Database = cfg.Settings.DatabaseID()
	body, err := admin.Dial(cfg.Settings.DataDir).Stream(e.ctx, "POST /command", call)
	switch {
	case d.InServer && errors.Is(err, admin.ErrNotRunning):
		err = codedError{err, unavailable}
	case errors.Is(err, admin.ErrNotRunning), !d.InServer && errs.Is(err, server.ErrOtherDatabase.Code):
		run := e.with
		switch {
		case d.NoDatabase:
			run = e.inspect
		case d.Founds:
			run = func(fn func(*server.Server) error) error { return e.withNewDatabase(e.sources(), fn) }
		}
		err = run(func(s *server.Server) error { return s.RunCommand(e.ctx, call, w) })
	case err == nil:
		_, err = io.Copy(w, body)
		err = errors.Join(err, body.Close())
	}
	if errs.Is(err, server.ErrNoOrganization.Code) {
		return e.noOrganization()
	}
	return err
}

// export writes what a command exports to a file or to standard output.
func (d *declared) export(e *env, call server.Call) error {
	if d.Output == "" {
		return d.act(e, call, e.Out)
	}
	f, err := os.OpenFile(d.Output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	if err = errors.Join(d.act(e, call, f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(d.Output)) // an incomplete file
	}
	return nil
}

// codeOf returns the exit code for an error of a command.
func codeOf(err error) int {
	var coded codedError
	if errors.As(err, &coded) {
		return coded.code
	}
	var living *server.LivingError
	if errors.As(err, &living) {
		return refused
	}
	var e *errs.Error
	if !errors.As(err, &e) {
		return failed
	}
	switch e.Code {
	case errs.NotFound:
		return absent
	case errs.PermissionDenied, errs.UnauthorizedPrincipal, errs.LastUser:
		return refused
	case errs.Unavailable:
		return unavailable
	case errs.Missing, errs.Invalid, errs.Incompatible:
		return usage
	}
	if e.Gone {
		return absent
	}
	return failed
}
