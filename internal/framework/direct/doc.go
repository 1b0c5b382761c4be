// Package direct answers plans, calls for unchanged resources, and reads of data sources, without the plugin framework. The
// framework's walks over the schema are most of the cost of a plan. The resource is called all the same. Only if the answer needs
// nothing that this package doesn't know, such as diagnostics or a replacement, does this package answer, because the framework's
// answer would be the same. In all other cases, the framework answers, with what the resource has returned.
package direct
