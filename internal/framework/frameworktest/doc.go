// Package frameworktest makes values of the plugin framework in tests, tries validators, and says what diagnostics are about.
package frameworktest
