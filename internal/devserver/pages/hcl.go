package pages

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// hclOf returns the configuration that imports a deployment: an import block, and a resource whose plan shows no change, with all that
// the service returns. Values of the environment are unknown.
func hclOf(d api.Deployment, dialect *api.Dialect) (string, error) {
	label := labelOf(d.Name)
	file := hclwrite.NewEmptyFile()
	imported := file.Body().AppendNewBlock("import", nil).Body()
	imported.SetAttributeTraversal("to", hcl.Traversal{hcl.TraverseRoot{Name: "agentplane_deployment"}, hcl.TraverseAttr{Name: label}})
	imported.SetAttributeValue("id", cty.StringVal(d.ID))
	file.Body().AppendNewline()
	resource := file.Body().AppendNewBlock("resource", []string{"agentplane_deployment", label}).Body()
	unknown := unknownSettings(d.Source, dialect)
	all, variables, err := argumentsOf(d, unknown)
	if err != nil {
		return "", err
	}
	for _, a := range all {
		resource.SetAttributeRaw(a.name, a.value)
	}
	for _, name := range variables {
		file.Body().AppendNewline()
		variable := file.Body().AppendNewBlock("variable", []string{name}).Body()
		variable.SetAttributeTraversal("type", hcl.Traversal{hcl.TraverseRoot{Name: "string"}})
		variable.SetAttributeValue("sensitive", cty.True)
	}
	text := string(hclwrite.Format(file.Bytes()))
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
		label = "deployment_" + label
	}
	return strings.TrimSuffix(label, "_")
}
