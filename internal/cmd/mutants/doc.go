// Command mutants measures what the tests of a package notice: it changes the package's code in many small ways, one at a
// time, and counts the changes that fail a test.
//
// A changed program is a mutant: a condition is negated, a bound moved by one, an operand of && or || ignored, or a
// statement left out. All mutants of a package are compiled into one test binary, which an environment variable switches
// between them, so that a mutant costs the run of the tests that reach it and no compilation. Mutants that no test reaches
// survive without a run, as do bounds that no test reaches and operands that have the same value in every test.
//
// A survivor costs the run of all tests that reach it. Packages for which that is too long are measured by a sample of
// their mutants, and packages whose tests stand elsewhere with the tests of those packages too. The flags of both are
// recorded with the score, and a package is measured the same way the next time.
package main
