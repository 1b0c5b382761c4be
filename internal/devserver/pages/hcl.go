package pages

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// configuration is a Terraform configuration of import blocks and resources whose plan shows no change.
type configuration struct {
	file   *hclwrite.File
	labels map[string]bool
}

func newConfiguration() *configuration {
	return &configuration{hclwrite.NewEmptyFile(), map[string]bool{}}
}

// add imports an object with an ID into a resource that has a label made of its name.
func (c *configuration) add(kind, name, id string, all []argument) {
	if len(c.labels) > 0 {
		c.file.Body().AppendNewline()
	}
	base := labelOf(name)
	label := base
	for n := 2; c.labels[kind+label]; n++ {
		label = fmt.Sprintf("%s_%d", base, n)
	}
	c.labels[kind+label] = true
	imported := c.file.Body().AppendNewBlock("import", nil).Body()
	imported.SetAttributeTraversal("to", hcl.Traversal{hcl.TraverseRoot{Name: kind}, hcl.TraverseAttr{Name: label}})
	imported.SetAttributeValue("id", cty.StringVal(id))
	c.file.Body().AppendNewline()
	resource := c.file.Body().AppendNewBlock("resource", []string{kind, label}).Body()
	for _, a := range all {
		resource.SetAttributeRaw(a.name, a.value)
	}
}

// declare adds a variable for a value that is never shown.
func (c *configuration) declare(name string) {
	c.file.Body().AppendNewline()
	variable := c.file.Body().AppendNewBlock("variable", []string{name}).Body()
	variable.SetAttributeTraversal("type", hcl.Traversal{hcl.TraverseRoot{Name: "string"}})
	variable.SetAttributeValue("sensitive", cty.True)
}

func (c *configuration) String() string { return string(hclwrite.Format(c.file.Bytes())) }

// hclOf returns the configuration of a deployment, with all that the service returns. Values of the environment are unknown.
func hclOf(d api.Deployment, dialect *api.Dialect) (string, error) {
	unknown := unknownSettings(d.Source, dialect)
	all, variables, err := argumentsOf(d, unknown)
	if err != nil {
		return "", err
	}
	c := newConfiguration()
	c.add("agentplane_deployment", d.Name, d.ID, all)
	for _, name := range variables {
		c.declare(name)
	}
	text := c.String()
	if len(unknown) > 0 {
		text += "# Not managed unless configured, because the service doesn't return them as they were set: " + strings.Join(unknown, ", ") + "\n"
	}
	text += unmanaged("environment or secrets", form.Collect(d.Secrets, func(s api.Secret) string { return s.Name }))
	return text + unmanaged("secret_references", form.Collect(d.SecretReferences, func(r api.SecretReference) string { return r.Name })), nil
}

// unmanaged says which variables of the environment an import leaves alone.
func unmanaged(unless string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "# Set in its environment, and not managed unless " + unless + " is configured: " + strings.Join(names, ", ") + "\n"
}

// notInLabel matches characters that a resource's label can't contain.
var notInLabel = regexp.MustCompile(`[^a-z0-9_]+`)

func labelOf(name string) string {
	label := strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if label == "" || label[0] >= '0' && label[0] <= '9' {
		label = "n" + label
	}
	return strings.TrimSuffix(label, "_")
}

// argumentList is a list of arguments, without those that aren't set.
type argumentList struct {
	writer hclWriter
	all    []argument
}

func (l *argumentList) set(name string, value any) {
	if tokens := l.writer.value(reflect.ValueOf(value)); tokens != nil {
		l.all = append(l.all, argument{name, tokens})
	}
}

// hclOfListeners returns the configuration of listeners.
func hclOfListeners(listeners []api.Listener) string {
	c := newConfiguration()
	for _, listener := range listeners {
		l := argumentList{}
		all := l.writer.members(reflect.ValueOf(listener), func(name string) bool {
			return !slices.Contains([]string{"id", "created_at", "updated_at"}, name)
		})
		c.add("agentplane_listener", listener.ComputeID, listener.ID, all)
	}
	return c.String()
}

// hclOfPrices returns the configuration of model prices.
func hclOfPrices(rows []store.ModelPrice) string {
	c := newConfiguration()
	for _, row := range rows {
		entry := priceEntry(row)
		l := argumentList{}
		l.all = l.writer.members(reflect.ValueOf(entry), func(string) bool { return true })
		for i := range l.all {
			if l.all[i].name == "provider" { // Terraform reserves the word.
				l.all[i].name = "model_provider"
			}
		}
		c.add("agentplane_model_price", entry.Name, row.ID, l.all)
	}
	return c.String()
}

// hclOfProviders returns the configuration of OAuth providers, without their secrets.
func hclOfProviders(rows []store.OAuthProvider) string {
	c := newConfiguration()
	for _, row := range rows {
		l := argumentList{}
		l.set("provider_id", row.ProviderID)
		l.set("name", row.Name)
		l.set("mcp_server_url", row.MCPServerURL)
		if row.MCPServerURL == nil { // Else the service has found these.
			l.set("client_id", row.ClientID)
			l.set("auth_url", row.AuthURL)
			l.set("token_url", row.TokenURL)
			l.set("token_endpoint_auth_method", row.TokenEndpointAuthMethod)
			l.set("uses_pkce", row.UsesPKCE)
			l.set("code_challenge_method", row.CodeChallengeMethod)
		}
		l.set("provider_type", row.ProviderType)
		var parameters map[string]string
		var redirects []string
		_, _ = json.Unmarshal([]byte(row.AuthorizationParams), &parameters), json.Unmarshal([]byte(row.AllowedRedirectURIs), &redirects) // Such were stored.
		if len(parameters) > 0 {
			l.set("authorization_params", parameters)
		}
		if len(redirects) > 0 {
			l.set("allowed_redirect_uris", redirects)
		}
		c.add("agentplane_oauth_provider", row.ProviderID, row.ProviderID, l.all)
	}
	return c.String()
}

// hclOfConnections returns the configuration of agents' connections.
func hclOfConnections(rows []store.AgentConnection) string {
	c := newConfiguration()
	for _, row := range rows {
		l := argumentList{}
		l.set("agent_id", row.AgentID)
		l.set("oauth_token_id", row.Token.ID)
		c.add("agentplane_agent_connection", row.AgentID, row.AgentID+"/"+row.ID, l.all)
	}
	return c.String()
}
