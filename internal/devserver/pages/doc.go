// Package pages shows in a browser what the services hold.
package pages
