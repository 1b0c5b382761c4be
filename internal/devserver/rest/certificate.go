package rest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// Certificate is a certificate with its key, in files that are read again for each connection.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu        sync.Mutex
	pair      *tls.Certificate
	cert, key []byte // What was last in the files.
}

// OpenCertificate reads a certificate, followed by those of its authorities, and its key. Without files, it is nil: the server has no TLS.
func OpenCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	switch {
	case certFile == "" && keyFile == "":
		return nil, nil //nolint:nilnil // There is no certificate.
	case keyFile == "":
		return nil, errors.New("a certificate without its key: use -tls-key with the path of the key's file, too")
	case certFile == "":
		return nil, errors.New("a key without its certificate: use -tls-cert with the path of the certificate's file, too")
	}
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	if _, err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// load uses what the files have, unless that is what they had before. It may be half of what they will have, which is an error only once.
func (c *Certificate) load() (changed bool, err error) {
	cert, err := os.ReadFile(c.certFile)
	key, failed := os.ReadFile(c.keyFile)
	if err := errors.Join(err, failed); err != nil {
		return false, fmt.Errorf("read the certificate: %w", err)
	}
	if bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key) {
		return false, nil
	}
	c.cert, c.key = cert, key
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return false, fmt.Errorf("the certificate %q with the key %q can't be used: %w", c.certFile, c.keyFile, err)
	}
	c.pair = &pair
	return true, nil
}

// config is that of a server. HTTP/2 is left out: the limits for connections are those of one request at a time.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.get}
}

// get returns the certificate for a new connection. As long as changed files can't be used, it is the one that was read before.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch changed, err := c.load(); {
	case err != nil:
		c.log.Warn("the changed certificate can't be used; the previous one is", "error", err)
	case changed:
		c.log.Info("the certificate was read again", "file", c.certFile)
	}
	return c.pair, nil
}
