package provider

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// pemText is a text in PEM form that was configured.
type pemText struct {
	text []byte
	// attribute is the argument that it comes from, or whose variable, and source what errors call it: they never quote the text.
	attribute, source string
}

// pem returns the text that an argument or a file contains, or nil if neither is configured. Arguments take precedence over variables.
func (p *agentplane) pem(attribute string, inline, file types.String) (*pemText, diag.Diagnostics) {
	ofFile := attribute + "_file"
	variable, fileVariable := "AGENTPLANE_"+strings.ToUpper(attribute), "AGENTPLANE_"+strings.ToUpper(ofFile)
	text, path := inline.ValueString(), file.ValueString()
	if text == "" && path == "" {
		text, path = p.getenv(variable), p.getenv(fileVariable)
	}
	switch {
	case text != "" && path != "":
		return nil, attributeError(attribute, fmt.Sprintf("Both %s (%s) and %s (%s) are set. Remove one of them.",
			attribute, variable, ofFile, fileVariable))
	case text != "":
		return &pemText{[]byte(text), attribute, attribute}, nil
	case path == "":
		return nil, nil
	case strings.ContainsAny(path, "\r\n") || strings.Contains(path, "-----BEGIN"): // The error of a file would quote it.
		return nil, attributeError(ofFile, fmt.Sprintf("%s (%s) has the text of a PEM file instead of its path. Set %s (%s) to the text.",
			ofFile, fileVariable, attribute, variable))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, attributeError(ofFile, fmt.Sprintf("The file can't be read: %s. Set %s (%s) to a PEM file, or %s (%s) to its content.",
			err, ofFile, fileVariable, attribute, variable))
	}
	return &pemText{content, ofFile, path}, nil
}

// rootCAs returns nil, which means the system's, unless certificates are configured.
func (p *agentplane) rootCAs(m model) (*x509.CertPool, diag.Diagnostics) {
	authorities, diags := p.pem("ca_certificate", m.CACertificate, m.CACertificateFile)
	if authorities == nil {
		return nil, diags
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(authorities.text) {
		return nil, attributeError(authorities.attribute, fmt.Sprintf("%s contains no PEM certificate (a block that starts with "+
			"-----BEGIN CERTIFICATE-----).", authorities.source))
	}
	return pool, nil
}

// clientCertificate returns nil unless it and its key are configured.
func (p *agentplane) clientCertificate(m model) (*tls.Certificate, diag.Diagnostics) {
	certificate, diags := p.pem("client_certificate", m.ClientCertificate, m.ClientCertificateFile)
	key, d := p.pem("client_key", m.ClientKey, m.ClientKeyFile)
	if diags.Append(d...); diags.HasError() || certificate == nil && key == nil {
		return nil, diags
	}
	if certificate == nil || key == nil {
		set, missing, wanted := cmp.Or(certificate, key).attribute, "client_key", "the private key of the certificate"
		if certificate == nil {
			missing, wanted = "client_certificate", "the certificate"
		}
		variable := "AGENTPLANE_" + strings.ToUpper(missing)
		return nil, attributeError(missing, fmt.Sprintf("%s is set, but neither %s nor %[2]s_file is. Set %[2]s_file (%[3]s_FILE) to a "+
			"PEM file with %[4]s, or %[2]s (%[3]s) to its content.", set, missing, variable, wanted))
	}
	pair, err := tls.X509KeyPair(certificate.text, key.text)
	if err != nil {
		return nil, attributeError(certificate.attribute, fmt.Sprintf("The certificate in %s and the key in %s can't be used together: %s. "+
			"Both must be in PEM form, and the key must not be encrypted.", certificate.source, key.source, err))
	}
	return &pair, nil
}
