// Command bench measures the time and memory that the provider needs, compared with terraform_data, a minimal provider and
// one that does nothing, and prints tables: make bench. The dev server runs in this process, with rollouts that take no
// time, so that applies measure the provider. The minimal provider and the one that does nothing are programs in
// subdirectories.
package main
