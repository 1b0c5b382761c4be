variable "deployment_id" {}

resource "agentplane_llm_run" "test" {
  deployment_id = var.deployment_id
  name          = "smoke"
  inputs_json   = jsonencode({ model = "example-large", messages = [{ role = "user", content = "Hi" }] })
  error         = "no such model"

  model_name     = "example-huge"
  model_provider = "example"
  metadata       = { thread_id = "t1", revision = "r1" }
  tags           = ["smoke", "apply"]

  start_time          = "2026-01-01T10:00:00Z"
  duration            = "1.5s"
  time_to_first_token = "250ms"
}
