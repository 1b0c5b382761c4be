package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTLS checks that the printed address is that of HTTPS, and answers.
func TestTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(http.NotFoundHandler()) // It has a certificate for this machine.
	defer web.Close()
	pair := web.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	directory := t.TempDir()
	certFile, keyFile := filepath.Join(directory, "cert.pem"), filepath.Join(directory, "key.pem")
	err = errors.Join(err,
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, "-seed", "-tls-cert", certFile, "-tls-key", keyFile)
	if !strings.HasPrefix(p.url, "https://127.0.0.1:") || p.lines[1] != "export AGENTPLANE_BASE_URL='"+p.url+"'" {
		t.Errorf("standard output = %q, want the address of HTTPS", p.lines)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := web.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Errorf("status %d, want 200", answer.StatusCode)
	}
}

// TestRoots expects a server without certificates on its machine, as in the image, to trust public authorities.
func TestRoots(t *testing.T) {
	t.Parallel()
	const none = "/none"
	if os.Getenv("SSL_CERT_DIR") != none {
		there := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRoots$") //nolint:gosec // This program.
		there.Env = append(os.Environ(), "SSL_CERT_DIR="+none, "SSL_CERT_FILE="+none)
		if output, err := there.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
		return
	}
	roots, err := x509.SystemCertPool()
	if err != nil || roots.Equal(x509.NewCertPool()) {
		t.Errorf("%v, or it trusts no authority", err)
	}
}
