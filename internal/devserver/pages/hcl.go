package pages

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
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
