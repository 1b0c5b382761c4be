// Package bench measures what the provider costs, compared with terraform_data, a minimal provider and one that does nothing, and the dev server
// with much data in each database: make bench. The minimal provider and the one that does nothing are programs in subdirectories.
package bench
