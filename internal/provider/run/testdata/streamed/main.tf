variable "stream" {}

resource "agentplane_llm_run" "test" {
  project_name = "chat"
  start_time   = "2026-01-01T10:00:00Z"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
  stream_json  = var.stream
}
