// Prints the outcome of a Jest run as one plain line.
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    console.log(`${results.numPassedTests} passed, ${results.numFailedTests} failed${skipped}`);
  }
};
