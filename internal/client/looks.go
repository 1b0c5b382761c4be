package client

import "time"

// adoptPauses are the waits before each search for an object whose create didn't return it. A gateway may time out before the
// service behind it, so the object may appear a little later.
var adoptPauses = [...]time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
