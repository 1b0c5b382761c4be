// Package converse reads and checks requests and answers of the Converse operation, whose blocks have no type but a member
// for it.
package converse
