package main

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// providertest.Test also reads and plans again after the apply, and expects no changes.
func TestStrings(t *testing.T) {
	t.Parallel()
	config := func(first string) string {
		return fmt.Sprintf("resource \"minimal_strings\" \"test\" {\n  s0 = %q\n  s9 = \"last\"\n}\n", first)
	}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"minimal": func() (tfprotov6.ProviderServer, error) {
				return providerserver.NewProtocol6(newProvider())(), nil
			},
		},
		Steps: []resource.TestStep{
			{Config: config("created"), Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttrSet("minimal_strings.test", "id"),
				resource.TestCheckResourceAttr("minimal_strings.test", "s9", "last"),
			)},
			{Config: config("updated"), Check: resource.TestCheckResourceAttr("minimal_strings.test", "s0", "updated")},
		},
	})
}
