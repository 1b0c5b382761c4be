import {
  to = agentplane_model_price.example_large
  id = "6b3f3c0a-7c43-4b0e-9c39-3f6a1a1d0f52"
}
