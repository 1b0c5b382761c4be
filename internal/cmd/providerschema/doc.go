// Command providerschema prints the provider's own schema in the form of "terraform providers schema -json", which the
// documentation generator reads.
//
// The provider is asked directly, because a CLI leaves out what it doesn't know: before 1.12 Terraform knows no resource
// identity, before 1.14 no list resources and no actions.
package main
