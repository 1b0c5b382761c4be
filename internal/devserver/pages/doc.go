// Package pages shows the data of the services in a browser.
package pages
