// Package direct answers calls about unchanged resources, and reads of data sources, without the plugin framework's walks over
// the schema, which are most of what a plan costs. The resource itself is asked just the same. Only where it has nothing to
// say, neither a diagnostic nor a change, is the answer given here, because the framework's could not differ. In all other
// cases the framework answers, with what the resource has said.
package direct
