// Command bench measures what the provider costs, next to terraform_data, a minimal provider and one that does nothing, and
// prints tables: make bench. The dev server runs in this process, with rollouts that take no time, so that applies measure
// the provider. The minimal provider and the one that does nothing are programs below this one.
package main
