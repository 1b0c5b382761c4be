# terraform query -generate-config-out=adopted.tf writes a resource and an import block for each.
list "agentplane_model_price" "all" {
  provider = agentplane
}
