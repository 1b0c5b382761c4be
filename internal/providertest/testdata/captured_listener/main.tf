terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_listener" "it" {
  compute_type   = "k8s"
  compute_id     = "production"
  version        = "0.1.0"
  compute_config = { k8s_namespaces = ["agents", "agents-staging"] }
}
