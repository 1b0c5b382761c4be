variable "id" {
  default = null
}

variable "compute_id" {
  default = null
}

data "agentplane_listener" "test" {
  id         = var.id
  compute_id = var.compute_id
}
