variable "workspace_id" {
  default = null
}

data "agentplane_model_prices" "test" {
  workspace_id = var.workspace_id
}
