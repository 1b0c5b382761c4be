package main

import (
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// gcPercent is that of the real provider.
const gcPercent = 400

// main sets what the real provider sets for its process, so that the difference between the two is what they do.
func main() {
	debug.SetGCPercent(gcPercent)
	if err := os.Setenv("TF_LOG_SDK", "OFF"); err != nil {
		log.Fatal(err)
	}
	if err := tf6server.Serve("registry.terraform.io/agentplane/agentplane", newServer); err != nil {
		log.Fatal(err)
	}
}
