variables {
  name   = "notes-test"
  limits = null

  # Required in tests: Terraform can't apply the default of an ephemeral variable there.
  secrets = {}

  repository = {
    integration       = "example-org"
    url               = "https://git.example.com/example-org/chat"
    graph_config_path = "graph.json"
  }
}

run "deploys_a_tag" {
  variables {
    ref = "refs/tags/v1.1.0"
  }

  assert {
    condition     = agentplane_deployment.agent.latest_revision_status == "DEPLOYED"
    error_message = "The revision is ${agentplane_deployment.agent.latest_revision_status}."
  }
}

run "rolls_back_to_a_tag" {
  variables {
    ref               = "refs/tags/v1.0.0"
    first_id          = run.deploys_a_tag.id
    first_revision_id = run.deploys_a_tag.revision_id
  }

  assert {
    condition     = output.id == var.first_id && output.revision_id != var.first_revision_id
    error_message = "Another tag replaces the deployment, or makes no revision."
  }
}
