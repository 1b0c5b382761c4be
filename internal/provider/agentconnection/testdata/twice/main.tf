variable "copies" {
  type    = number
  default = 1
}

variable "generation" {
  type    = number
  default = 1
}

resource "terraform_data" "generation" {
  input = var.generation
}

# Unknown to the plan that creates it.
resource "terraform_data" "late" {
  count = var.copies == 3 ? 1 : 0
  input = "helper"
}

resource "agentplane_agent_connection" "twice" {
  count = var.copies < 3 ? var.copies : 2

  agent_id    = var.copies == 3 ? terraform_data.late[0].output : "helper"
  provider_id = "calendar"

  lifecycle {
    replace_triggered_by = [terraform_data.generation]
  }
}
