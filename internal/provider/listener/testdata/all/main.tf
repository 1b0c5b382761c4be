data "agentplane_listeners" "test" {}
