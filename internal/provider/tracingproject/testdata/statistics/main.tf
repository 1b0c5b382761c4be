variable "window" {
  default = null
}

variable "start_time" {
  default = null
}

variable "end_time" {
  default = null
}

variable "exclude_interrupts" {
  default = null
}

data "agentplane_tracing_project" "test" {
  name                          = "chat"
  statistics_window             = var.window
  statistics_start_time         = var.start_time
  statistics_end_time           = var.end_time
  statistics_exclude_interrupts = var.exclude_interrupts
}
