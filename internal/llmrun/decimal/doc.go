// Package decimal calculates with exact decimal numbers: costs, prices and counts.
package decimal
