variable "run_type" {
  default = null
}

variable "is_root" {
  default = null
}

variable "has_error" {
  default = null
}

variable "min_start_time" {
  default = null
}

variable "max_start_time" {
  default = null
}

variable "trace_id" {
  default = null
}

variable "filter" {
  default = null
}

variable "trace_filter" {
  default = null
}

variable "tree_filter" {
  default = null
}

variable "order" {
  default = null
}

variable "limit" {
  default = null
}

variable "include_content" {
  default = null
}

variable "project_id" {
  default = null
}

variable "ids" {
  type    = list(string)
  default = null
}

variable "project_name" {
  default = "chat"
}

data "agentplane_runs" "test" {
  project_name    = var.project_id == null ? var.project_name : null
  run_type        = var.run_type
  is_root         = var.is_root
  has_error       = var.has_error
  min_start_time  = var.min_start_time
  max_start_time  = var.max_start_time
  trace_id        = var.trace_id
  filter          = var.filter
  trace_filter    = var.trace_filter
  tree_filter     = var.tree_filter
  order           = var.order
  limit           = var.limit
  include_content = var.include_content
  project_id      = var.project_id
  ids             = var.ids
}
