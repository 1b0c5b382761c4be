# What only the dialect langsmith has.

resource "agentplane_deployment" "named" {
  name                   = "named"
  source                 = "external_container"
  source_config          = merge(local.placed, { resource_spec = { cpu = 0.5, cpu_limit = 1.5 } })
  source_revision_config = local.image
  display_name           = "Stage ${var.stage}"
  shareable              = true
  route_through_gateway  = var.stage == 2
  delete_tracing_project = true
  secret_references      = { FROM_CLUSTER = { secret_name = "keys", secret_key = "stage-${var.stage}" } }
}

resource "agentplane_deployment" "tiers" {
  name                   = "tiers"
  source                 = "internal_container"
  source_config          = { deployment_type = "dev_zero" }
  source_revision_config = local.next
  deployment_tier        = "DEDICATED_S"
  compute_tier           = var.stage == 1 ? "DEDICATED_S" : "DEDICATED_M"
  database_tier          = "DEDICATED_L"
  environment            = { LOG_LEVEL = "info" }
}

resource "agentplane_deployment" "tier" {
  name                   = "tier"
  source                 = "git_host"
  source_config          = { integration_id = var.integration_id, repo_url = var.repo_url }
  source_revision_config = { repo_ref = "main", graph_config_path = "graph.json" }
  deployment_tier        = "SERVERLESS_S"
}

resource "agentplane_deployment" "uploaded" {
  name   = "uploaded"
  source = "internal_source"
  source_config = {
    install_command = "npm ci"
    build_command   = "npm run build"
  }
  source_revision_config = { source_tarball_path = "uploads/${var.stage}.tar.gz", graph_config_path = "graph.json" }
}

resource "agentplane_deployment" "template" {
  name                   = "template"
  source                 = "internal_template"
  source_config          = { template_id = "react-agent", deployment_type = "dev_zero" }
  source_revision_config = {}
}
