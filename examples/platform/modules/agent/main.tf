data "agentplane_listener" "cluster" {
  count = var.cluster == null ? 0 : 1

  compute_id = var.cluster.compute_id
}

data "agentplane_integration" "account" {
  count = var.repository == null ? 0 : 1

  name = var.repository.integration
}

resource "agentplane_deployment" "agent" {
  name             = var.name
  source           = var.repository == null ? "external_container" : "git_host"
  on_failed_create = "keep" # A first rollout that fails is repaired, not replaced.

  source_config = {
    # An image runs in a cluster of the installation.
    listener_id     = one(data.agentplane_listener.cluster[*].id)
    listener_config = var.cluster == null ? null : { k8s_namespace = var.cluster.namespace }
    resource_spec   = var.resources

    # A repository is built and run by the service.
    integration_id  = one(data.agentplane_integration.account[*].id)
    repo_url        = one(var.repository[*].url)
    deployment_type = one(var.repository[*].deployment_type)
    build_on_push   = one(var.repository[*].build_on_push)
  }

  source_revision_config = {
    image_uri         = var.image
    repo_ref          = var.ref
    graph_config_path = one(var.repository[*].graph_config_path)
  }

  environment = var.environment
  secrets_wo  = var.secrets

  deletion_protection    = var.deletion_protection
  delete_tracing_project = var.delete_tracing_project

  lifecycle {
    precondition {
      condition     = (var.image == null) != (var.repository == null)
      error_message = "Set either image or repository."
    }

    precondition {
      condition     = (var.cluster == null) == (var.repository != null)
      error_message = "An image needs a cluster. A repository doesn't run in one."
    }

    postcondition {
      condition     = self.latest_revision_status == "DEPLOYED"
      error_message = "Deployment ${self.name} was not rolled out; see the warnings of the apply."
    }
  }
}

resource "agentplane_model_price" "model" {
  for_each = var.prices

  name            = each.key
  match_pattern   = "^${replace(each.key, ".", "\\.")}$"
  prompt_cost     = each.value.prompt_cost
  completion_cost = each.value.completion_cost
}

# Logs a run for each revision: shows that runs arrive, that tokens are counted, and that the model has a price.
resource "agentplane_llm_run" "smoke_test" {
  count = var.smoke_test_model == null ? 0 : 1

  deployment_id = agentplane_deployment.agent.id
  name          = "smoke-test"
  model_name    = var.smoke_test_model

  inputs_json = jsonencode({
    messages = [{ role = "user", content = "Say hello." }]
  })
  outputs_json = jsonencode({
    choices        = [{ message = { role = "assistant", content = "Hello!" } }]
    usage_metadata = { input_tokens = 12, output_tokens = 3, total_tokens = 15 }
  })

  triggers = { revision = agentplane_deployment.agent.latest_revision_id }

  lifecycle {
    postcondition {
      condition     = self.status == "success" && self.total_tokens == 15 && self.total_cost != null
      error_message = "The smoke test failed: status ${coalesce(self.status, "unknown")}, ${coalesce(self.total_tokens, 0)} tokens, cost ${coalesce(self.total_cost, "unknown")}."
    }
  }

  depends_on = [agentplane_model_price.model]
}
