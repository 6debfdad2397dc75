// A mutant is killed by the first counterexample; nobody reads a smaller one.
require('fast-check').configureGlobal({ numRuns: 30, endOnFailure: true });
