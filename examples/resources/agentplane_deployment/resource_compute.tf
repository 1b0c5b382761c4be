terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "research" {
  name                   = "research"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/research:3.2.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }

    # Only the fields that are set are managed. The others have the installation's defaults.
    resource_spec = {
      min_scale = 2
      max_scale = 8
      cpu       = 1    # The limit defaults to twice as much.
      memory_mb = 2048 # The limit defaults to twice as much.
      labels    = { team = "research" }

      volumes       = [{ name = "cache", empty_dir_json = jsonencode({ sizeLimit = "1Gi" }) }]
      volume_mounts = [{ name = "cache", mount_path = "/var/cache/agent" }]

      sidecars = [{
        name      = "metrics"
        image     = "registry.example.com/tools/metrics-proxy:2.3.1"
        resources = { requests = { cpu = "50m", memory = "64Mi" } }
        env = [{
          name            = "POD_NAME"
          value_from_json = jsonencode({ fieldRef = { fieldPath = "metadata.name" } })
        }]
      }]
    }
  }
}
