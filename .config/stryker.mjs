// The mutants of one room; `MUTATION_ROOM` names it.
import rooms from './mutation-rooms.cjs';

const room = process.env.MUTATION_ROOM;

export default {
  packageManager: 'npm',
  testRunner: 'jest',
  // A room names its tests; what Jest holds to be related leaves out all that reach the code through an index.
  jest: { configFile: '.config/jest.mutation.cjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  jsonReporter: { fileName: `reports/mutation-${room}.json` },
  concurrency: 2,
  timeoutMS: 20_000,
  ignoreStatic: true,
  mutate: rooms[room].mutate,
  ignorePatterns: ['dist', 'reports', 'docs', 'examples', '*.tgz'],
  thresholds: { high: 90, low: 85, break: 85 },
};
