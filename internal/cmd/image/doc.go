// Command image makes a container image of the dev server from the archives of a release: an OCI image layout, packed as a tar file. It needs
// no daemon and no network, and the same archives make the same bytes.
//
// The image has nothing but the server, the certificates by which it trusts OAuth providers, and what it is made of. It runs as a user
// without rights, with its data in a volume.
package main
