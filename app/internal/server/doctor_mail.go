package server

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Resolver asks the DNS. *net.Resolver implements it.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupHost(ctx context.Context, name string) ([]string, error)
}

// mailDiagnoses returns the check of what receivers of emails look for in the DNS.
func (s *Server) mailDiagnoses() []kit.Diagnosis {
	m, ok := s.Ports.Mailer.(ports.MailSender)
	if !ok {
		return nil
	}
	return []kit.Diagnosis{{
		Name: "mail", Doc: "The DNS has what receivers of emails look for: MX, SPF, DMARC and, with a selector, DKIM.",
		Run: func(ctx context.Context) ([]kit.Finding, error) {
			ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
			defer cancel()
			address, selector := m.Sender()
			z := zone{ctx: ctx, dns: s.options.Resolver, name: address[strings.LastIndexByte(address, '@')+1:]}
			if z.dns == nil {
				z.dns = net.DefaultResolver
			}
			z.mx()
			z.spf()
			if selector != "" {
				z.dkim(selector)
			}
			z.dmarc()
			if z.unknown != nil && len(z.found) == 0 {
				return nil, &kit.SkippedError{Why: "The DNS could not be asked for the sender's domain."}
			}
			return z.found, nil
		},
	}}
}

// dnsTimeout is the maximum duration of all questions together.
const dnsTimeout = 15 * time.Second

// zone is the domain of the sender.
type zone struct {
	ctx     context.Context
	dns     Resolver
	name    string
	found   []kit.Finding
	unknown error // the DNS has not answered
}

func (z *zone) warn(text, remedy string) {
	z.found = append(z.found, kit.Finding{Text: text, Remedy: remedy, Minor: true})
}

// exists reports whether the DNS has answered a question with something.
func (z *zone) exists(err error) bool {
	var no *net.DNSError
	if err != nil && (!errors.As(err, &no) || !no.IsNotFound) {
		z.unknown = err
	}
	return err == nil
}

// texts returns the TXT records of a name that begin with a version.
func (z *zone) texts(name, version string) []string {
	all, err := z.dns.LookupTXT(z.ctx, name)
	if !z.exists(err) {
		return nil
	}
	var out []string
	for _, text := range all {
		if first, _, _ := strings.Cut(strings.ReplaceAll(text, ";", " "), " "); strings.EqualFold(first, version) {
			out = append(out, text)
		}
	}
	return out
}

// mx checks that somebody accepts replies and reports of failures.
func (z *zone) mx() {
	const remedy = "add an MX record to the domain of adapters.mail.from, or send from another domain"
	all, err := z.dns.LookupMX(z.ctx, z.name)
	switch {
	case z.exists(err) && len(all) > 0:
		if len(all) == 1 && all[0].Host == "." {
			z.warn("the sender's domain accepts no email, for which some receivers refuse its emails", remedy)
		}
		return
	case z.unknown != nil:
		return
	}
	_, err = z.dns.LookupHost(z.ctx, z.name)
	if !z.exists(err) && z.unknown == nil {
		z.warn("the sender's domain has neither an MX record nor an address", remedy)
	}
}

// spf checks that the domain names the mail servers that send its emails (RFC 7208).
func (z *zone) spf() {
	all := z.texts(z.name, "v=spf1")
	switch {
	case z.unknown != nil:
	case len(all) == 0:
		z.warn("the sender's domain has no SPF record, so that receivers may take its emails for spam",
			`add a TXT record with the mail servers that send for the domain, such as "v=spf1 mx -all"`)
	case len(all) > 1:
		z.warn("the sender's domain has several SPF records, so that receivers ignore them all",
			"merge the TXT records that begin with v=spf1 into one")
	default:
		for term := range strings.FieldsSeq(strings.ToLower(all[0])) {
			if term == "+all" || term == "all" {
				z.warn("the SPF record of the sender's domain allows everyone to send for it", "end it with -all or ~all")
			}
		}
	}
}

// dkim checks that receivers can find the key of the signatures (RFC 6376).
func (z *zone) dkim(selector string) {
	all, err := z.dns.LookupTXT(z.ctx, selector+"._domainkey."+z.name)
	z.exists(err)
	if z.unknown != nil {
		return
	}
	for _, text := range all {
		for tag := range strings.SplitSeq(text, ";") {
			name, value, _ := strings.Cut(tag, "=")
			if strings.TrimSpace(name) == "p" && strings.TrimSpace(value) != "" {
				return
			}
		}
	}
	z.warn("the DNS has no DKIM key for the selector, so that receivers take signed emails for forged",
		"publish the key of the mail server, or correct adapters.mail.dkim_selector")
}

// dmarc checks that the domain, or one above it, states what receivers do with forged emails (RFC 7489).
func (z *zone) dmarc() {
	for name := z.name; strings.Contains(name, ".") && z.unknown == nil; _, name, _ = strings.Cut(name, ".") {
		if len(z.texts("_dmarc."+name, "v=DMARC1")) > 0 {
			return
		}
	}
	if z.unknown == nil {
		z.warn("the sender's domain has no DMARC record, which large receivers of emails require",
			`add a TXT record such as "v=DMARC1; p=none" to _dmarc of the domain`)
	}
}
