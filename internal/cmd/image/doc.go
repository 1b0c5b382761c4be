// Command image makes a container image of the dev server, from what goreleaser built: an OCI image layout in dist/image. It needs no daemon
// and no network, and the same release makes the same bytes. Its arguments are the version, the commit, and the time of that in RFC 3339.
//
// The image has nothing but the server and what it is made of. It runs as a user without rights, whose number Kubernetes can verify not to be
// root, with its data in a volume. It starts with -seed unless users say otherwise, because without a key the server refuses to be reached by
// other machines.
package main
