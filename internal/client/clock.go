package client

import (
	"fmt"
	"net/http"
	"time"
)

// clockTolerance is how far the clocks may differ that the Date of a response and a created_at come from.
const clockTolerance = 5 * time.Second

// createdBefore explains why an object may have been created before a request. An object created within the same second counts as new,
// or no quick create could ever be adopted: if another client made it, it made the same object under the same name at the same moment,
// and if this process did, claim knows.
func createdBefore(createdAt string, sent time.Time, a httpResponse) string {
	age, unknown := a.age(createdAt, sent)
	if unknown == "" && age > 0 {
		return fmt.Sprintf("it was created at %s, before this request", createdAt)
	}
	return unknown
}

// age returns how long before a request an object was created, or why that is unknown. It compares times of the service's clock, which
// the Date header shows in whole seconds, rounded down.
func (a httpResponse) age(createdAt string, sent time.Time) (age time.Duration, unknown string) {
	created, err := time.Parse(time.RFC3339, createdAt)
	if err != nil {
		return 0, fmt.Sprintf("its created_at %q is not a date-time", createdAt)
	}
	date, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		return 0, "the service doesn't report its creation time"
	}
	// The service wrote date no later than its response arrived here, so when the request was sent, its clock showed at least this.
	return date.Add(-a.received.Sub(sent)).Sub(created), ""
}
