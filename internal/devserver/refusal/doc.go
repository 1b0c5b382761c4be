// Package refusal says why a request is refused, in terms that know no protocol.
//
// Whatever finds the reason, be it deep in a service, returns an [Error] of one of the kinds; rest alone knows the status of each. The
// texts are the service's own, and are translated to the terms of the dialect that a client speaks when they are answered.
package refusal
