package rest_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// writeCertificate makes a certificate with a number, and its key.
func writeCertificate(t *testing.T, certFile, keyFile string, number int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	devservertest.Must(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "plane"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	made, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	private, failed := x509.MarshalPKCS8PrivateKey(key)
	parsed, invalid := x509.ParseCertificate(made)
	err = errors.Join(err, failed, invalid,
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	devservertest.Must(t, err)
	return parsed
}

// TestCertificate serves with a certificate that is replaced, and then with files that can't be used.
func TestCertificate(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	certFile, keyFile := filepath.Join(directory, "cert.pem"), filepath.Join(directory, "key.pem")
	roots := x509.NewCertPool()
	roots.AddCert(writeCertificate(t, certFile, keyFile, 1))
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	certificate, err := rest.OpenCertificate(certFile, keyFile, logger)
	devservertest.Must(t, err)
	server := rest.HTTPServer{Logger: logger, Certificate: certificate, EndStreams: func() {}, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	devservertest.Must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	number := func(config *tls.Config) (int64, error) {
		config.RootCAs = roots
		client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, ForceAttemptHTTP2: true}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+listener.Addr().String(), http.NoBody)
		devservertest.Must(t, err)
		answer, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		_ = answer.Body.Close()
		if answer.ProtoMajor != 1 {
			t.Errorf("the protocol is %s, want HTTP/1.1", answer.Proto)
		}
		return answer.TLS.PeerCertificates[0].SerialNumber.Int64(), nil
	}
	want := func(n int64) {
		t.Helper()
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			if got, err := number(&tls.Config{MinVersion: version, MaxVersion: version}); got != n || err != nil {
				t.Errorf("certificate %d, %v; want %d", got, err, n)
			}
		}
	}
	want(1)
	if got, err := number(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil { //nolint:gosec // It must be refused.
		t.Errorf("TLS 1.1 is accepted, with certificate %d", got)
	}
	roots.AddCert(writeCertificate(t, certFile, keyFile, 2))
	want(2)
	devservertest.Must(t, os.WriteFile(keyFile, []byte("half"), 0o600))
	want(2)
	devservertest.Must(t, os.Remove(certFile))
	want(2)
	roots.AddCert(writeCertificate(t, certFile, keyFile, 3))
	want(3)
	stop()
	devservertest.Must(t, <-served)
	for says, times := range map[string]int{"can't be used; the previous one is": 2, "the changed certificate is used": 2} {
		if got := strings.Count(log.String(), says); got != times {
			t.Errorf("the log says %d times that %s, want %d, once for each change: %s", got, says, times, &log)
		}
	}
}

// TestOpenCertificate checks that both files or neither are wanted, and that they must fit.
func TestOpenCertificate(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := func(name string) string { return filepath.Join(directory, name) }
	writeCertificate(t, file("a"), file("a-key"), 1)
	writeCertificate(t, file("b"), file("b-key"), 2)
	for _, tc := range []struct{ cert, key, want string }{
		{"", file("a-key"), "use -tls-cert"}, {file("a"), "", "use -tls-key"}, {file("a"), file("none"), "no such file"},
		{file("a"), file("b-key"), "private key does not match"}, {file("a-key"), file("a"), "can't be used"},
	} {
		if _, err := rest.OpenCertificate(tc.cert, tc.key, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %s: error = %v, want %s", tc.cert, tc.key, err, tc.want)
		}
	}
	if c, err := rest.OpenCertificate("", "", nil); c != nil || err != nil {
		t.Errorf("without files: %v, %v; want no certificate", c, err)
	}
}
