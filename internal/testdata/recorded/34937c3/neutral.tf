# What only the dialect neutral has.

resource "agentplane_deployment" "emptied" {
  name                   = "emptied"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  environment            = var.stage == 1 ? { LOG_LEVEL = "info" } : {}
}

resource "agentplane_deployment" "deprecated_fields" {
  name   = "deprecated-fields"
  source = "external_container"
  source_config = merge(local.placed, {
    resource_spec = {
      db_cpu                       = 0.5
      db_cpu_limit                 = 1.5
      orchestrator_cpu             = 1
      orchestrator_cpu_limit       = 3
      orchestrator_memory_mb       = 256
      orchestrator_memory_limit_mb = 300
      orchestrator_min_scale       = 1
      orchestrator_max_scale       = 7
      executor_cpu                 = 1
      executor_cpu_limit           = 5
      executor_memory_mb           = 128
      executor_memory_limit_mb     = 200
    }
  })
  source_revision_config = local.image
}
