variable "name_contains" {
  default = null
}

data "agentplane_tracing_projects" "test" {
  name_contains = var.name_contains
}
