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
	content := func(name string) string {
		text, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	known, knownKey, file, keyFile := content("known.pem"), content("known-key.pem"), "client_certificate_file", "client_key_file"
	for name, test := range map[string]struct {
		block, variables settings
		want             string
	}{
		"files":               {settings{file: in("known.pem"), keyFile: in("known-key.pem")}, nil, ""},
		"texts":               {settings{"client_certificate": known, "client_key": knownKey}, nil, ""},
		"a text and a file":   {settings{"client_certificate": known, keyFile: in("known-key.pem")}, nil, ""},
		"file variables":      {nil, settings{"CLIENT_CERTIFICATE_FILE": in("known.pem"), "CLIENT_KEY_FILE": in("known-key.pem")}, ""},
		"text variables":      {nil, settings{"CLIENT_CERTIFICATE": known, "CLIENT_KEY": knownKey}, ""},
		"a variable for each": {settings{"client_certificate": known}, settings{"CLIENT_KEY_FILE": in("known-key.pem"), "CLIENT_CERTIFICATE_FILE": "ignored"}, ""},
		"none":                {nil, nil, asked},
		"another's":           {settings{file: in("stranger.pem"), keyFile: in("stranger-key.pem")}, nil, asked},
		"no key":              {settings{file: in("known.pem")}, nil, "client_certificate_file is set, but neither client_key nor client_key_file is"},
		"no key for a text":   {settings{"client_certificate": known}, nil, "client_certificate is set, but neither client_key nor client_key_file is"},
		"no certificate":      {nil, settings{"CLIENT_KEY_FILE": in("known-key.pem")}, "client_key_file is set, but neither client_certificate nor client_certificate_file is"},
		"another key":         {settings{file: in("known.pem"), keyFile: in("stranger-key.pem")}, nil, "can't be used together"},
		"another key's text":  {settings{"client_certificate": known, "client_key": content("stranger-key.pem")}, nil, "The certificate in client_certificate and the key in client_key can't be used together"},
		"no such file":        {settings{file: in("nothing.pem"), keyFile: in("known-key.pem")}, nil, "AGENTPLANE_CLIENT_CERTIFICATE_FILE"},
		"no key file":         {settings{file: in("known.pem")}, settings{"CLIENT_KEY_FILE": in("nothing.pem")}, "AGENTPLANE_CLIENT_KEY_FILE"},
		"a key twice":         {settings{file: in("known.pem"), keyFile: in("known-key.pem"), "client_key": knownKey}, nil, "Both client_key (AGENTPLANE_CLIENT_KEY) and client_key_file"},
		"a path as a key":     {settings{file: in("known.pem"), "client_key": in("known-key.pem")}, nil, "failed to find any PEM data in key input"},
		"a text as a path":    {settings{file: in("known.pem"), keyFile: knownKey}, nil, "client_key_file (AGENTPLANE_CLIENT_KEY_FILE) has the text of a PEM file instead of its path"},
		"a cut key":           {settings{file: in("known.pem"), "client_key": knownKey[:len(knownKey)/2]}, nil, "The certificate in " + in("known.pem") + " and the key in client_key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variables := maps.Clone(environment)
			for name, value := range test.variables {
				variables["AGENTPLANE_"+name] = value
			}
			p := start(t, variables)
			diags := p.configure(test.block)
			if len(diags) == 0 {
				diags = p.use()
			}
			got := text(diags)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("diagnostics = %s, want %q", got, test.want)
			}
			if line := strings.Split(knownKey, "\n")[1]; strings.Contains(got, line[:20]) {
				t.Errorf("diagnostics = %s, want no key in them", got)
			}
		})
	}
}
