package saml

import (
	"crypto/x509"
	"fmt"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// faults returns what is wrong with certificates of the configuration now.
func (s *service) faults() []kit.Fault {
	var all []kit.Fault
	for i, p := range s.providers {
		add := func(key string, certificates []*x509.Certificate, remedy string) {
			if end := lastEnd(certificates); !end.IsZero() && !s.Clock.Now().Before(end) {
				all = append(all, kit.Fault{
					Key:  fmt.Sprintf("providers.%d.%s", i, key),
					Text: fmt.Sprintf("the certificate expired on %s; %s", end.UTC().Format(time.DateOnly), remedy),
				})
			}
		}
		if p.fixed != nil {
			known, _ := certificatesOf(p.fixed) // they have been parsed before
			add("certificates", known, "get the new one from the provider, or nobody can log in")
		}
		if p.MetadataFile != "" {
			if m, err := p.fromFile(); err == nil {
				known, _ := certificatesOf(m)
				add("metadata_file", known, "download the file again at the provider, or nobody can log in")
			}
		}
		if p.mine.certificate != nil {
			add("certificate_file", []*x509.Certificate{p.mine.certificate},
				"make a new key and certificate, and give the provider the new metadata")
		}
	}
	return all
}

// lastEnd returns when the last of certificates expires; the zero time if there is none.
func lastEnd(all []*x509.Certificate) time.Time {
	var end time.Time
	for _, one := range all {
		if one.NotAfter.After(end) {
			end = one.NotAfter
		}
	}
	return end
}
