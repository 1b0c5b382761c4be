variable "id" {
  default = null
}

variable "name" {
  default = null
}

data "agentplane_integration" "test" {
  id   = var.id
  name = var.name
}
