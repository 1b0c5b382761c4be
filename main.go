// Command terraform-provider-agentplane serves the provider to Terraform and OpenTofu.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// version is set by the linker.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve to a debugger: print TF_REATTACH_PROVIDERS and wait")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/agentplane/agentplane",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
