package provider

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
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
	text, name := inline.ValueString(), file.ValueString()
	if text == "" && name == "" {
		text, name = p.getenv(variable), p.getenv(fileVariable)
	}
	switch {
	case text != "" && name != "":
		return nil, attributeError(attribute, fmt.Sprintf("Both %s (%s) and %s (%s) are set. Remove one of them.",
			attribute, variable, ofFile, fileVariable))
	case text != "":
		return &pemText{[]byte(text), attribute, attribute}, nil
	case name == "":
		return nil, nil
	case strings.ContainsAny(name, "\r\n") || strings.Contains(name, "-----BEGIN"): // The error of a file would quote it.
		return nil, attributeError(ofFile, fmt.Sprintf("%s (%s) has the text of a PEM file instead of its path. Set %s (%s) to the text.",
			ofFile, fileVariable, attribute, variable))
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, attributeError(ofFile, fmt.Sprintf("The file can't be read: %s. Set %s (%s) to a PEM file, or %s (%s) to its content.",
			err, ofFile, fileVariable, attribute, variable))
	}
	return &pemText{content, ofFile, name}, nil
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

// profile is what the product's own tools have stored about an account, except for the token with which they refresh logins.
type profile struct {
	APIURL      string `json:"api_url"`
	APIKey      string `json:"api_key"`
	WorkspaceID string `json:"workspace_id"`
	OAuth       struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   string `json:"expires_at"`
	} `json:"oauth"`
	// source is what errors call it.
	source string
}

// profile reads the selected profile. Without a selection, it is empty: unlike the product's tools, the provider never uses the
// current profile, so that a login elsewhere on the machine doesn't change what a configuration manages.
func (p *agentplane) profile(m model, dialect *api.Dialect) (profile, diag.Diagnostics) {
	product := dialect.Product
	if product == nil {
		if m.Profile.IsNull() {
			return profile{}, nil
		}
		return profile{}, diag.Diagnostics{framework.Unsupported(dialect, path.Root("profile"), "")}
	}
	name := p.text(m.Profile, product.VariablePrefix+"PROFILE")
	if name == "" {
		return profile{}, nil
	}
	refuse := func(format string, args ...any) (profile, diag.Diagnostics) {
		return profile{}, addressError("profile", "Invalid profile", fmt.Sprintf(format, args...)+fmt.Sprintf(" Correct profile (%[1]sPROFILE), or set "+
			"%[1]sCONFIG_FILE to the file that has the profile.", product.VariablePrefix))
	}
	file := p.getenv(product.VariablePrefix + "CONFIG_FILE")
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return refuse("The file of the profile %q can't be found: %s.", name, err)
		}
		file = filepath.Join(home, product.ProfileFile)
	}
	if strings.ContainsAny(file, "{\r\n") { // The error of a file would quote it.
		return refuse("%sCONFIG_FILE has the text of a file instead of its path.", product.VariablePrefix)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return refuse("The file of the profile %q can't be read: %s.", name, err)
	}
	var stored struct {
		Profiles map[string]profile `json:"profiles"`
	}
	if err := json.Unmarshal(content, &stored); err != nil {
		return refuse("%s, the file of the profile %q, isn't a valid file of profiles: %s.", file, name, err)
	}
	found, known := stored.Profiles[name]
	if !known {
		return refuse("%s has no profile %q. Its profiles are: %s.", file, name,
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(stored.Profiles)), ", "), "none"))
	}
	found.source = fmt.Sprintf("the profile %q in %s", name, file)
	return found, nil
}

// storedCredential returns the key or the token of a profile. As in the product's tools, the token takes precedence.
func (p *agentplane) storedCredential(stored profile, dialect *api.Dialect) (key, token string, diags diag.Diagnostics) {
	if stored.OAuth.AccessToken == "" {
		return stored.APIKey, "", nil
	}
	now := time.Now
	if p.clock != nil {
		now = p.clock.Now
	}
	if expiry, err := time.Parse(time.RFC3339, stored.OAuth.ExpiresAt); err == nil && !expiry.After(now()) {
		return "", "", addressError("profile", "Invalid profile", fmt.Sprintf("The login of %s expired at %s, and the provider doesn't renew it. Log in again "+
			"with %q, or set api_key (AGENTPLANE_API_KEY).", stored.source, stored.OAuth.ExpiresAt, dialect.Product.Login))
	}
	return "", stored.OAuth.AccessToken, nil
}
