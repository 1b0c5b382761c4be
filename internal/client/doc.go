// Package client speaks HTTP with the deployment control plane: one method per operation, one place that sends.
//
// Everything passes through do, which decides by the table in retry.go what may be sent again. Reads and deletes may;
// a create, a patch or a redeploy only when the service provably did nothing with it. A create whose reply was lost is
// settled by looking for what it may have made (adopt.go); it is never sent twice on a guess. What names its object and
// says all of it, a run of a trace or the new content of a model price, is sent until it has arrived.
//
// The tracing API is beside the control plane (hosts.go): at the root of the host under whose /api-host a self-hosted
// installation has its control plane, at a host of its own in a cloud, or where the user says.
//
// Callers speak neutral words. Those of the service's dialect stand only in what leaves and arrives in do.
//
// Errors are *Error (the service answered), *TransportError (it did not) or *OutcomeUnknownError (a write may or may
// not have happened). None of them carries a credential or the value of a secret.
package client
