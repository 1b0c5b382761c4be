// Package api holds the wire: every JSON shape of the deployment control plane, its enumerations and its error bodies.
//
// It has no behaviour and speaks no HTTP. The client and the dev server both import it and never each other, so the
// bodies in testdata are written by hand from the published description of the service, not by this encoder.
//
// Three conventions hold throughout:
//   - a field without omitzero is required by the service: never absent, never null;
//   - Optional tells absent, null and value apart, which only request bodies need;
//   - a pointer is nullable, and nil means both absent and null.
package api
