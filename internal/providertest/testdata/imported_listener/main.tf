terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_listener" "production" {
  compute_id = "production"

  compute_config = {
    k8s_namespaces = ["agents", "agents-staging"]
  }
}
