package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/smtp"
	"github.com/stoachat/stoa/app/internal/doctor"
)

// records are what a DNS knows: by type and name, such as "TXT chat.example.com".
type records map[string][]string

func (r records) look(kind, name string) ([]string, error) {
	if all, ok := r[kind+" "+name]; ok {
		return all, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (r records) LookupTXT(_ context.Context, name string) ([]string, error) {
	return r.look("TXT", name)
}

func (r records) LookupHost(_ context.Context, name string) ([]string, error) {
	return r.look("A", name)
}

func (r records) LookupMX(_ context.Context, name string) (all []*net.MX, err error) {
	hosts, err := r.look("MX", name)
	for _, h := range hosts {
		all = append(all, &net.MX{Host: h})
	}
	return all, err
}

// offline is a DNS that does not answer.
type offline struct{}

var errOffline = &net.DNSError{Err: "i/o timeout", IsTimeout: true}

func (offline) LookupTXT(context.Context, string) ([]string, error)  { return nil, errOffline }
func (offline) LookupHost(context.Context, string) ([]string, error) { return nil, errOffline }
func (offline) LookupMX(context.Context, string) ([]*net.MX, error)  { return nil, errOffline }

// The doctor finds what is missing in the DNS of the sender's domain. Without a DNS, it fails nothing.
func TestDoctorMail(t *testing.T) {
	const domain = "mail.chat.example.com"
	complete := func(change ...string) records {
		r := records{
			"MX " + domain: {"mx.example.com."}, "TXT " + domain: {"verification=1", "v=spf1 mx -all"},
			"TXT _dmarc.example.com": {"v=DMARC1; p=reject"}, "TXT k1._domainkey." + domain: {"v=DKIM1; k=rsa; p=MIIB"},
		}
		for _, c := range change {
			key, value, _ := strings.Cut(c, "=")
			if r[key] = strings.Split(value, "|"); value == "" {
				delete(r, key)
			}
		}
		return r
	}
	for _, c := range []struct {
		name   string
		dns    Resolver
		status doctor.Status
		found  string // parts, separated by |
	}{
		{"complete", complete(), doctor.OK, ""},
		{"an address instead of MX", complete("MX "+domain+"=", "A "+domain+"=192.0.2.1"), doctor.OK, ""},
		{"no MX", complete("MX " + domain + "="), doctor.Warn, "neither an MX record nor an address"},
		{"null MX", complete("MX " + domain + "=."), doctor.Warn, "accepts no email"},
		{"no SPF", complete("TXT " + domain + "=v=spf10 -all"), doctor.Warn, "no SPF record"},
		{"two SPF", complete("TXT " + domain + "=v=spf1 mx -all|v=spf1 a -all"), doctor.Warn, "several SPF records"},
		{"open SPF", complete("TXT " + domain + "=v=spf1 mx +all"), doctor.Warn, "allows everyone"},
		{"no DKIM", complete("TXT k1._domainkey." + domain + "="), doctor.Warn, "no DKIM key"},
		{"revoked DKIM", complete("TXT k1._domainkey." + domain + "=v=DKIM1; p="), doctor.Warn, "no DKIM key"},
		{"no DMARC", complete("TXT _dmarc.example.com="), doctor.Warn, "no DMARC record"},
		{"nothing", records{}, doctor.Warn, "MX|SPF|DKIM|DMARC"},
		{"offline", offline{}, doctor.Skipped, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{
				ConfigText: "modules:\n" + sound +
					"adapters:\n  mail: {use: smtp, host: mx.example.com, from: Chat <noreply@" + domain + ">, dkim_selector: k1}\n",
				Set: map[string]string{"data_dir": t.TempDir(), "http.addr": "127.0.0.1:0"},
				Log: slog.New(slog.DiscardHandler), Resolver: c.dns,
			}
			modules := append(catalog(), smtp.Module)
			s, err := New(t.Context(), o, modules...)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Start(t.Context()), s.Stop(context.WithoutCancel(t.Context()))); err != nil {
				t.Fatal(err)
			}
			var all []doctor.Result
			err = Examine(t.Context(), o, Examination{
				Only: "server.mail", Command: func(args string) string { return "stoa " + args },
				Report: func(r doctor.Result) { all = append(all, r) },
			}, modules...)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			got := all[0]
			if got.Status != c.status || (c.found == "") != (len(got.Found) == 0) || len(got.Found) != len(got.Remedies) {
				t.Errorf("%+v, want %s", got, c.status)
			}
			for part := range strings.SplitSeq(c.found, "|") {
				if !strings.Contains(strings.Join(got.Found, "\n"), part) {
					t.Errorf("%q is missing in %q", part, got.Found)
				}
			}
			if strings.Contains(got.Line(), domain) {
				t.Errorf("%s names the domain", got.Line())
			}
		})
	}
}
