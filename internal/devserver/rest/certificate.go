package rest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Certificate is a certificate with its key, in files that are read again for each connection.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	usable  *tls.Certificate // What could last be used.
	problem string           // Why what is in the files now can't be used; empty if it can.
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
	var err error
	c.usable, err = c.load()
	return c, err
}

func (c *Certificate) load() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate %q with the key %q can't be used: %w", c.certFile, c.keyFile, err)
	}
	return &pair, nil
}

// config is that of a server. HTTP/2 is left out: the limits for connections are those of one request at a time.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.get}
}

// get returns the certificate for a new connection: the previous one while only one of the files has been replaced.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := c.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if problem := err.Error(); problem != c.problem { // Connections can be many.
			c.problem = problem
			c.log.Warn("the changed certificate can't be used; the previous one is", "error", err)
		}
		return c.usable, nil
	}
	if !pair.Leaf.Equal(c.usable.Leaf) {
		c.log.Info("the changed certificate is used", "serial", pair.Leaf.SerialNumber.String(), "not_after", pair.Leaf.NotAfter)
	}
	c.usable, c.problem = pair, ""
	return pair, nil
}
