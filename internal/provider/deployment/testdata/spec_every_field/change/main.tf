variable "listener_id" {}
variable "k8s_namespace" {}

resource "agentplane_deployment" "test" {
  name   = "tf-acc-spec"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }

    resource_spec = {
      min_scale                    = 2
      max_scale                    = 10
      cpu                          = 4
      cpu_limit                    = 6
      memory_mb                    = 2048
      memory_limit_mb              = 3072
      queue_min_scale              = 4
      queue_max_scale              = 12
      queue_cpu                    = 2
      queue_cpu_limit              = 8
      queue_memory_mb              = 1024
      queue_memory_limit_mb        = 4096
      orchestrator_cpu             = 2
      orchestrator_cpu_limit       = 6
      orchestrator_memory_mb       = 512
      orchestrator_memory_limit_mb = 600
      orchestrator_min_scale       = 2
      orchestrator_max_scale       = 14
      executor_cpu                 = 2
      executor_cpu_limit           = 10
      executor_memory_mb           = 256
      executor_memory_limit_mb     = 400
      cache_memory_mb              = 128

      db_cpu             = 0.75
      db_cpu_limit       = 2.25
      db_memory_mb       = 1024
      db_memory_limit_mb = 1536
      db_storage_gi      = 20
      db_max_connections = 200

      labels               = { "example.com/team" = "platform", plain = "" }
      annotations          = { "example.com/note" = "second" }
      service_account_name = "agent-2"
      image_pull_secrets   = [{ name = "registry-credentials" }, { name = "others" }]

      volumes = [
        { name = "config", config_map_json = jsonencode({ name = "agent-2", optional = true }) },
        { name = "keys", secret_json = jsonencode({ secretName = "keys" }) },
        { name = "scratch", empty_dir_json = jsonencode({}) },
        { name = "data", persistent_volume_claim_json = jsonencode({ claimName = "data" }) },
        { name = "share", nfs_json = jsonencode({ server = "nfs.example.com", path = "/share" }) },
        { name = "mixed", projected_json = jsonencode({ sources = [{ configMap = { name = "a" } }, { secret = { name = "b" } }] }) },
        { name = "pod", downward_api_json = jsonencode({ items = [{ path = "labels", fieldRef = { fieldPath = "metadata.labels" } }] }) },
        { name = "driver", csi_json = jsonencode({ driver = "csi.example.com", readOnly = false }) },
      ]

      volume_mounts = [
        { name = "config", mount_path = "/etc/agent", sub_path = "agent.json", read_only = true },
        { name = "data", mount_path = "/data-2", sub_path_expr = "$(POD_NAME)", mount_propagation = "None", read_only = false },
      ]

      init_containers = [{
        name    = "migrate"
        image   = "registry.example.com/agents/migrate:2.0.0"
        command = ["migrate", "--to", "latest"]
        env     = [{ name = "VERBOSE", value = "1" }]
      }]

      sidecars = [{
        name              = "proxy"
        image             = "registry.example.com/proxy@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        image_pull_policy = "IfNotPresent"
        command           = ["proxy"]
        args              = ["--port", "8080", ""]
        working_dir       = "/srv"
        env = [
          { name = "MODE", value = "tls" },
          { name = "POD_IP", value_from_json = jsonencode({ fieldRef = { fieldPath = "status.podIP" } }) },
        ]
        env_from_json = [jsonencode({ configMapRef = { name = "proxy" } }), jsonencode({ prefix = "K_", secretRef = { name = "keys" } })]
        resources = {
          limits   = { memory = "512Mi" }
          requests = { cpu = "250m", memory = "128Mi" }
        }
        volume_mounts         = [{ name = "scratch", mount_path = "/tmp" }]
        security_context_json = jsonencode({ runAsNonRoot = true, capabilities = { drop = ["ALL"] } })
        restart_policy        = "OnFailure"
      }]
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
