// Package listprice knows the published list prices of models.
//
// prices.json is made by build/build.mjs (.ci/prices) from the npm package @pydantic/genai-prices, whose license it contains. The
// rules by which that package finds a model and its price are in provider.go and model.go, because patterns of a price map can't express
// them: the first model of a provider that matches counts, a price that takes effect later replaces all earlier ones, and prices may
// depend on the time of day. testdata/calls.json.gz has what the package itself computes. names.txt has other forms of names.
//
// The list says nothing about batches, service tiers and regions, and little about tools such as web search. corrections.json has what
// providers publish about these, and prices that are newer than the list, which build.mjs adds.
package listprice
