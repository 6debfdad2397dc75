/** Suites that need a program of the system. */

/**
 * A suite that runs where the set-up of the tests has found its program and left the path in `variable`. Elsewhere it is
 * reported as skipped, or as failed where `CI` is set; the module `provider` tells how to get the program.
 */
export function describeWhere(variable: string, provider: string, name: string, suite: () => void): void {
  if (process.env[variable] !== undefined) describe(name, suite);
  else if (process.env.CI === undefined || process.env.CI === 'false') describe.skip(name, suite);
  else {
    describe(name, () => {
      test('needs its program', () => {
        throw new Error(`There is none: set ${variable}, or see ${provider}.`);
      });
    });
  }
}
