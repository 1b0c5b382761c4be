data "agentplane_integrations" "test" {}
