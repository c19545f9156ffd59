package server

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/stoachat/stoa/ports"
)

// measure creates the instruments of the server itself.
func (s *Server) measure() {
	if s.metrics == nil {
		return
	}
	database := "postgres"
	if s.db.OneWriter() {
		database = "sqlite"
	}
	one := func(name, value string) ports.Label { return ports.Label{Name: name, Values: []string{value}} }
	s.metrics.Gauge(ports.Instrument{
		Name: "stoa_build_info", Help: "The version of the program; always 1.",
		Labels: []ports.Label{one("version", s.options.Version), one("commit", commit()), one("go", runtime.Version()),
			one("database", database)},
	}, func(_ context.Context, set ports.SetValue) error {
		set(1, s.options.Version, commit(), runtime.Version(), database)
		return nil
	})
	s.metrics.Gauge(ports.Instrument{Name: "stoa_disk_free_bytes", Help: "Free space on the disk of data_dir."},
		func(_ context.Context, set ports.SetValue) error {
			if free, known := freeBytes(s.Config.Settings.DataDir); known {
				set(float64(free))
			}
			return nil
		})
	s.measureCertificate()
	if s.Config.Settings.Secret != "" { // its age is unknown
		return
	}
	s.metrics.Gauge(ports.Instrument{Name: "stoa_secret_age_seconds", Help: "Age of the file secret in data_dir."},
		func(_ context.Context, set ports.SetValue) error {
			info, err := os.Stat(filepath.Join(s.Config.Settings.DataDir, "secret"))
			if err == nil {
				set(s.options.Clock.Now().Sub(info.ModTime()).Seconds())
			}
			return nil
		})
}

// commit returns the commit from which the program was built, or "" if it is unknown.
func commit() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, v := range b.Settings {
		if v.Key == "vcs.revision" {
			return v.Value
		}
	}
	return ""
}
