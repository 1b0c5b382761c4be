// Command terraform-provider-agentplane serves the provider to Terraform and OpenTofu.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/agentplane/terraform-provider-agentplane/internal/process"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// version is set by the linker.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve to a debugger: print TF_REATTACH_PROVIDERS and wait")
	printVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *printVersion {
		fmt.Println(version)
		return
	}
	if err := process.Configure(*debug); err != nil {
		log.Fatal(err)
	}
	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/agentplane/agentplane", provider.NewServer(version), options...)
	if err != nil {
		log.Fatal(err)
	}
}
