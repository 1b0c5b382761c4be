// Package api defines the wire format: the JSON structs of the deployment control plane, its enumerations and its error bodies.
//
// It has no behaviour and sends no requests. The client and the dev server both import it and never each other, so the
// bodies in testdata are written by hand from the service's published documentation, not by this encoder.
//
// Three conventions hold throughout:
//   - a field without omitzero is required by the service: never absent, never null;
//   - Optional distinguishes absent, null and a value, which only request bodies need;
//   - a pointer is nullable, and nil means both absent and null.
package api
