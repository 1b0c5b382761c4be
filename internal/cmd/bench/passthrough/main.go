package main

import (
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	if err := tf6server.Serve("registry.terraform.io/agentplane/agentplane", newServer); err != nil {
		log.Fatal(err)
	}
}
