variable "compute_id" {
  default = "tf-acc-cluster"
}

variable "compute_type" {
  default = null
}

variable "k8s_namespaces" {
  type    = list(string)
  default = null
}

variable "listener_version" {
  default = null
}

variable "workspace_id" {
  default = null
}

variable "timeouts" {
  type    = map(string)
  default = null
}

resource "agentplane_listener" "test" {
  workspace_id   = var.workspace_id
  compute_id     = var.compute_id
  compute_type   = var.compute_type
  compute_config = { k8s_namespaces = var.k8s_namespaces }
  version        = var.listener_version
  timeouts       = var.timeouts
}
