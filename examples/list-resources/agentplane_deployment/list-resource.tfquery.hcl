# terraform query -generate-config-out=adopted.tf writes a resource and an import block for each.
list "agentplane_deployment" "chat" {
  provider = agentplane

  config {
    name_contains = "chat"
    status        = "READY"
  }
}
