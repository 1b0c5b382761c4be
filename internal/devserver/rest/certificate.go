package rest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate with its key, in files that are read again when they have changed.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	read [2]fileVersion // Of the files when they were last read.
}

// fileVersion tells the contents of a file apart from those that it has later.
type fileVersion struct {
	changed time.Time
	size    int64
	file    os.FileInfo
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
	versions, err := c.versions()
	if err != nil {
		return nil, err
	}
	if err := c.load(versions); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Certificate) versions() (both [2]fileVersion, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return both, fmt.Errorf("read the certificate: %w", err)
		}
		both[i] = fileVersion{info.ModTime(), info.Size(), info}
	}
	return both, nil
}

func (v fileVersion) is(other fileVersion) bool {
	return v.changed.Equal(other.changed) && v.size == other.size && os.SameFile(v.file, other.file)
}

// load reads the files. What they have at first may be half of what they will have: their versions are remembered even then.
func (c *Certificate) load(versions [2]fileVersion) error {
	c.read = versions
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("the certificate %q with the key %q can't be used: %w", c.certFile, c.keyFile, err)
	}
	c.pair = &pair
	return nil
}

// config is that of a server. HTTP/2 is left out: the limits for connections are those of one request at a time.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.get}
}

// get returns the certificate for a new connection. As long as changed files can't be used, it is the one that was read before.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	versions, err := c.versions()
	if err == nil && versions[0].is(c.read[0]) && versions[1].is(c.read[1]) {
		return c.pair, nil
	}
	if err == nil {
		err = c.load(versions)
	}
	if err != nil {
		c.log.Warn("the changed certificate can't be used; the previous one is", "error", err)
	} else {
		c.log.Info("the certificate was read again", "file", c.certFile)
	}
	return c.pair, nil
}
