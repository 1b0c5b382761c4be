package provider

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// rootCAs returns nil, which means the system's, unless a file is configured.
func (p *agentplane) rootCAs(m model) (*x509.CertPool, diag.Diagnostics) {
	file := p.text(m.CACertificateFile, "AGENTPLANE_CA_CERTIFICATE_FILE")
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, attributeError("ca_certificate_file", fmt.Sprintf("The file can't be read: %s. Set ca_certificate_file "+
			"(AGENTPLANE_CA_CERTIFICATE_FILE) to a PEM file.", err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, attributeError("ca_certificate_file", fmt.Sprintf("%s contains no PEM certificate (a block that "+
			"starts with -----BEGIN CERTIFICATE-----).", file))
	}
	return pool, nil
}

// clientCertificate returns nil unless its files are configured.
func (p *agentplane) clientCertificate(m model) (*tls.Certificate, diag.Diagnostics) {
	certificateFile := p.text(m.ClientCertificate, "AGENTPLANE_CLIENT_CERTIFICATE_FILE")
	keyFile := p.text(m.ClientKey, "AGENTPLANE_CLIENT_KEY_FILE")
	switch {
	case certificateFile == "" && keyFile == "":
		return nil, nil
	case keyFile == "":
		return nil, attributeError("client_key_file", "client_certificate_file is set, but client_key_file isn't. Set client_key_file "+
			"(AGENTPLANE_CLIENT_KEY_FILE) to a PEM file with the private key of the certificate.")
	case certificateFile == "":
		return nil, attributeError("client_certificate_file", "client_key_file is set, but client_certificate_file isn't. Set "+
			"client_certificate_file (AGENTPLANE_CLIENT_CERTIFICATE_FILE) to a PEM file with the certificate.")
	}
	certificate, err := os.ReadFile(certificateFile)
	if err != nil {
		return nil, attributeError("client_certificate_file", fmt.Sprintf("The file can't be read: %s. Set client_certificate_file "+
			"(AGENTPLANE_CLIENT_CERTIFICATE_FILE) to a PEM file.", err))
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, attributeError("client_key_file", fmt.Sprintf("The file can't be read: %s. Set client_key_file "+
			"(AGENTPLANE_CLIENT_KEY_FILE) to a PEM file.", err))
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, attributeError("client_certificate_file", fmt.Sprintf("The certificate in %s and the key in %s can't be used "+
			"together: %s. Both files must be in PEM form, and the key must not be encrypted.", certificateFile, keyFile, err))
	}
	return &pair, nil
}
