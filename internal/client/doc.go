// Package client is the HTTP client of the deployment control plane, and of the tracing API next to it: a self-hosted installation serves
// that at the root of the same host, the cloud on a separate host, and the user can configure another URL.
//
// All requests pass through do, which uses the table in retry.go to decide what may be sent again. Reads and deletes may; a create, a
// patch or a redeploy only if the service provably did nothing with it. A request that identifies its object and contains all of it, such
// as a run or the new content of a model price, is sent until it has arrived.
//
// A Collection reads and lists objects of one kind, and a Deletable deletes them. write.go has the proofs of a create, a change and a deletion, which are the
// same for all of them. Create methods return the created object, or the one that they find after a lost reply if it is provably the
// result; the request is never sent twice on a guess. Other changes return the object as a read then shows it. If it remains unknown
// whether a write happened, the error is an *OutcomeUnknownError. Deleting an object that doesn't exist is an error, unless an earlier
// attempt of the same call deleted it.
//
// Callers use neutral words. Only do uses the words of the service's dialect.
//
// Errors are *Error (the service answered), *TransportError (it did not) or *OutcomeUnknownError (a write may or may
// not have happened). None of them contains a credential or the value of a secret.
package client
