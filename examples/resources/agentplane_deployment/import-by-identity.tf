import {
  to = agentplane_deployment.chat
  identity = {
    id = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38"
  }
}
