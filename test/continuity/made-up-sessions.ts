/** Three sessions that were made up: what their agents come back to is known, so a worker that loses it shows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordedAgent } from './recorded-agent';

const SUBJECTS = ['Invoice', 'Payment', 'Account', 'Customer', 'Discount', 'Currency', 'Delivery', 'Supplier'] as const;
const VERBS = ['load', 'check', 'round', 'store', 'merge', 'print', 'split', 'count'] as const;

/** A module of functions of six lines each. */
function moduleOf(subject: string, functions: number): readonly string[] {
  const lines = [`import { Store } from './store';`, ''];
  for (let at = 0; at < functions; at++) {
    const verb = VERBS[at % VERBS.length] ?? '';
    const nth = Math.floor(at / VERBS.length) + 1;
    const name = `${verb}${subject}${String(nth)}`;
    lines.push(
      `export function ${name}(${subject.toLowerCase()}Id: string, store: Store): number {`,
      `  const found = store.find('${subject.toLowerCase()}', ${subject.toLowerCase()}Id);`,
      `  const ${verb}Total${String(nth)} = found.amount * ${String(at + 2)};`,
      `  return ${verb}Total${String(nth)};`,
      '}',
      '',
    );
  }
  return lines;
}

/** Line of the total in the nth function of a verb; what is edited. */
const totalLine = (verb: number, nth: number): string =>
  `  const ${VERBS[verb] ?? ''}Total${String(nth)} = found.amount * ${String(verb + 8 * (nth - 1) + 2)};`;

const rounded = (line: string): string => line.replace('= ', '= Math.round(').replace(';', ');');

/** Looks at the beginning through files that are never needed again. */
function lookAround(agent: RecordedAgent, folder: string): void {
  agent.run(`ls ${folder}`, SUBJECTS.map((subject) => `${subject.toLowerCase()}.ts`).join('\n'));
  for (const subject of SUBJECTS) {
    const path = `${folder}/${subject.toLowerCase()}.ts`;
    agent.given(path, moduleOf(`Old${subject}`, 14));
    agent.read(path);
  }
  agent.say(`Nothing in ${folder} is in use any more.`);
}

/** What a test runner prints before it comes to the point. */
const printed = (suite: string, round: number): string =>
  Array.from(
    { length: 40 },
    (_, at) =>
      `  ✓ ${suite} case ${String(at + 1)} of run ${String(round)} took ${String((at * 7 + round * 3) % 23)} ms`,
  ).join('\n');

/** One long file in which the agent goes back and forth between three places, with looks at others in between. */
function backAndForth(): string {
  const agent = new RecordedAgent();
  agent.given('src/invoice.ts', moduleOf('Invoice', 64));
  for (const subject of SUBJECTS.slice(1)) agent.given(`src/${subject.toLowerCase()}.ts`, moduleOf(subject, 12));
  agent.user(
    'Round every total in src/invoice.ts to whole cents. Keep the public names of all functions as they are, other teams call them.',
  );
  lookAround(agent, 'archive');
  agent.read('src/invoice.ts', 1, 120);
  for (let round = 0; round < 8; round++) {
    const nth = round + 1;
    const start = 3 + 48 * round;
    agent.read('src/invoice.ts', start, 48);
    agent.say(
      `The functions with the number ${String(nth)} multiply amounts; I round loadTotal${String(nth)} and checkTotal${String(nth)}.`,
    );
    agent.edit('src/invoice.ts', totalLine(0, nth), rounded(totalLine(0, nth)));
    agent.edit('src/invoice.ts', totalLine(1, nth), rounded(totalLine(1, nth)));
    const other = SUBJECTS[1 + (round % 2)]?.toLowerCase() ?? '';
    agent.read(`src/${other}.ts`);
    agent.run(
      'npx jest test/invoice.test.ts --verbose',
      `${printed('invoice', round)}\n${
        round % 3 === 2
          ? `FAIL test/invoice.test.ts\nError: expected roundInvoice${String(nth)} to keep the public names of all functions\n  at test/invoice.test.ts:${String(40 + round)}`
          : `PASS test/invoice.test.ts, ${String(20 + round)} tests`
      }`,
    );
    // Back to the first place, and to the one before.
    agent.read('src/invoice.ts', 3, 48);
    agent.read('src/invoice.ts', Math.max(3, start - 48), 48);
    if (round === 3) {
      agent.say('The first half is rounded.');
      agent.user('Good. Go on with the other half, and never touch src/store.ts, it is generated.');
    }
  }
  agent.say(
    'All totals are rounded. I kept the public names of all functions as they are and did not touch src/store.ts.',
  );
  return agent.text();
}

/** Many small files, each in turn, and one of types that is needed for all of them. */
function oneAfterAnother(): string {
  const agent = new RecordedAgent();
  const types = SUBJECTS.flatMap((subject) => [
    `export interface ${subject}Record {`,
    `  readonly ${subject.toLowerCase()}Number: string;`,
    `  readonly openBalance${subject}: number;`,
    `}`,
  ]);
  agent.given('src/record-types.ts', types);
  for (const subject of SUBJECTS) agent.given(`src/port/${subject.toLowerCase()}.ts`, moduleOf(subject, 16));
  for (const [at, subject] of SUBJECTS.entries()) {
    const path = `src/port/${subject.toLowerCase()}.ts`;
    agent.user(
      at === 0
        ? 'Port the modules in src/port to the interfaces of src/record-types.ts. Write no comments into the code, we generate the documentation.'
        : `Now port the module ${subject} in the same way as the ones before.`,
    );
    if (at === 0) lookAround(agent, 'attic');
    agent.read('src/record-types.ts');
    agent.read(path);
    for (const verb of [0, 2, 5])
      agent.edit(path, totalLine(verb, 1), `  const ${VERBS[verb] ?? ''}Total1 = found.openBalance${subject};`);
    agent.run(
      'npm run types',
      `${printed('port', at)}\n${at % 2 === 0 ? 'no errors' : `error TS2339: Property 'amount' does not exist on ${subject}Record`}`,
    );
    agent.read(path, 1, 40);
    agent.edit(path, totalLine(1, 1), `  const checkTotal1 = found.openBalance${subject} - 1;`);
    agent.say(
      `${subject} is ported: its totals come from openBalance${subject} of ${subject}Record. As you said I write no comments into the code, we generate the documentation.`,
    );
  }
  return agent.text();
}

/** A fault is sought through many files; the test and the module that it is about are opened again and again. */
function hunt(): string {
  const agent = new RecordedAgent();
  agent.given('test/ledger.test.ts', moduleOf('Ledger', 20));
  agent.given('src/core/balance-sheet.ts', moduleOf('BalanceSheet', 40));
  for (const subject of SUBJECTS) agent.given(`src/core/${subject.toLowerCase()}.ts`, moduleOf(subject, 24));
  agent.user(
    'The yearly report is off by one cent. Find out why and fix it. Do not change the test files, they are approved by the auditors.',
  );
  lookAround(agent, 'build/copies');
  const fault = 'AssertionError: expected closingBalanceSheet to equal 1204.55, received 1204.56';
  agent.run('npx jest test/ledger.test.ts', `FAIL test/ledger.test.ts\n${fault}`);
  agent.read('test/ledger.test.ts');
  agent.read('src/core/balance-sheet.ts', 1, 120);
  for (let round = 0; round < 9; round++) {
    const subject = SUBJECTS[round % 3] ?? 'Invoice';
    agent.read(`src/core/${subject.toLowerCase()}.ts`, 1, 80);
    agent.say(`${subject} adds up correctly, so the cent comes from src/core/balance-sheet.ts or from what calls it.`);
    agent.read('src/core/balance-sheet.ts', 51, 60);
    const line = totalLine(round % 8, 2);
    agent.edit('src/core/balance-sheet.ts', line, rounded(line).replace('round', 'floor'));
    agent.run('npx jest test/ledger.test.ts', `${printed('ledger', round)}\nFAIL test/ledger.test.ts\n${fault}`);
    agent.edit('src/core/balance-sheet.ts', rounded(line).replace('round', 'floor'), line);
    if (round % 3 === 1) agent.read('test/ledger.test.ts', 1, 50);
  }
  agent.say('The cent is found. I did not change the test files, they are approved by the auditors.');
  return agent.text();
}

/** A folder with the three session files, removed after all tests of the file. */
export function madeUpSessions(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pith-continuity-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const sessions = { 'back-and-forth': backAndForth(), hunt: hunt(), 'one-after-another': oneAfterAnother() };
  for (const [name, text] of Object.entries(sessions)) writeFileSync(join(folder, `${name}.jsonl`), text);
  return folder;
}
