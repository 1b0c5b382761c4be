// Package price is the price map of a workspace: what a token costs, by model, kind of token and time.
//
// An entry applies to the runs whose model its pattern matches. What applies to which run is decided by package usage; here entries are
// kept, checked and compiled. Where the workspace has no price, the list prices of package listprice apply, as the service has prices of
// its own: they are listed without a tenant_id, after the workspace's entries. A change applies to runs that are logged later: a run keeps the costs that it was given.
package price
