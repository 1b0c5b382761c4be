package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writePair writes a self-signed certificate and its key, and returns the certificate.
func writePair(t *testing.T, certificateFile, keyFile string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: epoch.AddDate(-1, 0, 0), NotAfter: epoch.AddDate(50, 0, 0),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	writeCertificate(t, certificateFile, certificate)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600); err != nil {
		t.Fatal(err)
	}
	return certificate
}

// TestConfigure_clientCertificate connects to a service that requires a known client certificate.
func TestConfigure_clientCertificate(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	in := func(name string) string { return filepath.Join(directory, name) }
	trusted := x509.NewCertPool()
	trusted.AddCert(writePair(t, in("known.pem"), in("known-key.pem")))
	writePair(t, in("stranger.pem"), in("stranger-key.pem"))
	plane := serve(t, func(handler http.Handler) *httptest.Server {
		server := httptest.NewUnstartedServer(handler)
		server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		return server
	}, noListeners)
	writeCertificate(t, in("ca.pem"), plane.Certificate())
	environment := settings{"AGENTPLANE_BASE_URL": plane.URL, "AGENTPLANE_CA_CERTIFICATE_FILE": in("ca.pem")}
	const asked = "set client_certificate_file and client_key_file"
	for name, test := range map[string]struct {
		certificate, key, want string
		variables              bool
	}{
		"arguments":      {in("known.pem"), in("known-key.pem"), "", false},
		"variables":      {in("known.pem"), in("known-key.pem"), "", true},
		"none":           {"", "", asked, false},
		"another's":      {in("stranger.pem"), in("stranger-key.pem"), asked, false},
		"no key":         {in("known.pem"), "", "client_certificate_file is set, but client_key_file isn't", false},
		"no certificate": {"", in("known-key.pem"), "client_key_file is set, but client_certificate_file isn't", true},
		"another key":    {in("known.pem"), in("stranger-key.pem"), "can't be used together", false},
		"no such file":   {in("nothing.pem"), in("known-key.pem"), "AGENTPLANE_CLIENT_CERTIFICATE_FILE", false},
		"no key file":    {in("known.pem"), in("nothing.pem"), "AGENTPLANE_CLIENT_KEY_FILE", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			block, variables := settings{}, settings{}
			for setting, file := range map[string]string{"client_certificate_file": test.certificate, "client_key_file": test.key} {
				switch {
				case file == "":
				case test.variables:
					variables["AGENTPLANE_"+strings.ToUpper(setting)] = file
				default:
					block[setting] = file
				}
			}
			maps.Copy(variables, environment)
			p := start(t, variables)
			diags := p.configure(block)
			if len(diags) == 0 {
				diags = p.use()
			}
			if got := text(diags); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("diagnostics = %s, want %q", got, test.want)
			}
		})
	}
}
