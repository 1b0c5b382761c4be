package provider

import (
	"cmp"
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

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
