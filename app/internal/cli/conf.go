package cli

import "github.com/stoachat/stoa/app/internal/server"

type conf struct {
	Check confCheck `cmd:"" help:"Report all problems of the configuration, each with a remedy."`
	Print confPrint `cmd:"" help:"Print the configuration in use: every key, with secrets masked."`
}

type confCheck struct {
	Online bool `help:"Also try the identity providers, directories, mail servers and other services that it names."`
}

// Run checks the configuration and the modules' contributions without accessing the database.
func (c confCheck) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	for _, text := range s.Config.Warnings {
		e.printError(text)
	}
	if err := s.Faults().Err(); err != nil {
		return err
	}
	if c.Online {
		tried, failed := s.Try(e.ctx)
		if err := failed.Err(); err != nil {
			return err
		}
		e.printf("ok: %d services answer\n", tried)
	}
	e.printf("ok: %d modules, %d routes\n", len(s.Config.Plan), len(s.Modules().Endpoints))
	return nil
}

type confPrint struct{}

// Run prints the configuration.
func (confPrint) Run(e *env) error {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	text, err := cfg.Print()
	if err != nil {
		return err
	}
	e.printf("%s", text)
	return nil
}
