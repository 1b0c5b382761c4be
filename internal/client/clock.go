package client

import "time"

// clockTolerance is how far the clocks may differ that the Date of a response and a created_at come from.
const clockTolerance = 5 * time.Second
