data "agentplane_experiment" "test" {
  dataset_name = "capitals"
}
