package saml

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"
)

// maxFile is the maximum size of a file with certificates in bytes.
const maxFile = 256 << 10

// readFile reads a file of the configuration up to a size in bytes.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name) //nolint:gosec // named in the configuration
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = errors.New("the file is too large; is it the right one?")
	}
	return b, err
}

// readCertificates reads certificates from a file in PEM, or from a text in PEM or in the base64 of metadata.
func readCertificates(from string) ([]*x509.Certificate, error) {
	text := []byte(from)
	if der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(from), "")); err == nil && len(der) > 256 {
		one, err := x509.ParseCertificate(der)
		return []*x509.Certificate{one}, err
	}
	if !strings.Contains(from, "-----BEGIN") {
		var err error
		if text, err = readFile(from, maxFile); err != nil {
			return nil, err
		}
	}
	var all []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if all == nil {
		return nil, errors.New("contains no certificate in PEM")
	}
	return all, nil
}

// ownKey is the server's private key and its certificate. Without a key both are nil.
type ownKey struct {
	key         *rsa.PrivateKey
	certificate *x509.Certificate
}

// keyError is an error of a key of the configuration.
type keyError struct {
	error

	key string
}

// own reads the server's key.
func (p providerConfig) own() (ownKey, *keyError) {
	if p.Key == "" && p.KeyFile == "" {
		if p.CertificateFile != "" {
			return ownKey{}, &keyError{errors.New("is missing; certificate_file is set"), "key_file"}
		}
		return ownKey{}, nil
	}
	text, err := p.Key.OrFile(p.KeyFile)
	if err != nil {
		return ownKey{}, &keyError{err, "key_file"}
	}
	key, err := parseKey(text)
	if err != nil {
		return ownKey{}, &keyError{err, "key_file"}
	}
	if p.CertificateFile == "" {
		return ownKey{}, &keyError{errors.New("is missing; the provider needs the certificate of key_file"),
			"certificate_file"}
	}
	all, err := readCertificates(p.CertificateFile)
	if err != nil {
		return ownKey{}, &keyError{err, "certificate_file"}
	}
	if public, ok := all[0].PublicKey.(*rsa.PublicKey); !ok || !public.Equal(key.Public()) {
		return ownKey{}, &keyError{errors.New("is the certificate of another key than key_file"), "certificate_file"}
	}
	return ownKey{key, all[0]}, nil
}

// parseKey parses an RSA key in PEM. Providers do not agree on the form of signatures with ECDSA.
func parseKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("contains no key in PEM")
	}
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		return nil, errors.New("want a private key without password, as openssl genpkey writes it")
	}
	if err != nil {
		return nil, errors.New("is not a private key")
	}
	if k, ok := key.(*rsa.PrivateKey); ok && k.N.BitLen() >= 2048 {
		return k, nil
	}
	return nil, errors.New("want an RSA key of at least 2048 bits")
}
