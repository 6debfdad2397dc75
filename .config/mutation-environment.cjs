// One failure kills a mutant: once a test has failed, the other tests of that mutant are skipped.
const NodeEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

let killed;

module.exports = class MutationEnvironment extends NodeEnvironment {
  handleTestEvent(event) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return;
    if (event.name === 'test_start' && killed === mutant) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) killed = mutant;
  }
};
