// Command providerschema prints the provider's own schema in the form of "terraform providers schema -json", which the
// documentation generator reads.
//
// It asks the provider directly, because a CLI omits what it doesn't support: Terraform before 1.12 supports no resource
// identity, and before 1.14 neither list resources nor actions.
package main
