// Package assert has what most tests end with: a comparison, and an error that ends the test.
package assert
