import fc from 'fast-check';
import { createKernel, createSession } from '../../core';
import type { Kernel, Session } from '../../core';
import { followReport, grownReport } from '../../core/report';
import type { Report } from '../../core/report';
import { histories } from '../arbitraries/history';
import { play, sessionSteps } from '../arbitraries/session';
import { freshReport, withoutTime } from './fresh';

let kernel: Kernel;
beforeAll(async () => {
  kernel = await createKernel({ plugins: [], log: { level: 'error', write: () => undefined } });
});
afterAll(() => kernel.stop());

function begin(): Session {
  return createSession({ id: 's', now: () => 0, services: (session) => kernel.scope(session) });
}

/** A page that is told of a session whenever it is asked to look. */
function viewer(session: Session): { look(): Report; readonly wholes: number } {
  const followed = followReport(session, { kernel });
  let report = followed.report();
  let wholes = 0;
  return {
    look() {
      const change = followed.update();
      if (change?.event === 'report') wholes++;
      if (change !== undefined)
        report = change.event === 'report' ? change.data : grownReport(report, JSON.parse(JSON.stringify(change.data)));
      return withoutTime(report);
    },
    get wholes() {
      return wholes;
    },
  };
}

describe('a report that grew', () => {
  test('is what a new one would be, whatever happened and whenever one looked', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(sessionSteps(4), fc.boolean()), { maxLength: 6 }), (stretches) => {
        const session = begin();
        const { look } = viewer(session);
        for (const [steps, looks] of stretches) {
          for (const step of steps) play(session, step);
          if (looks) expect(look()).toEqual(freshReport(kernel, session));
        }
        expect(look()).toEqual(freshReport(kernel, session));
      }),
      { numRuns: 200 },
    );
  });

  test('is what a new one would be, item by item', () => {
    fc.assert(
      fc.property(histories(8), (items) => {
        const session = begin();
        const { look } = viewer(session);
        for (const item of items) {
          session.append([item]);
          look();
        }
        expect(look()).toEqual(freshReport(kernel, session));
      }),
      { numRuns: 100 },
    );
  });

  test('is not told anew where nothing of before is otherwise', () => {
    const session = begin();
    session.record({ t: 'turn', phase: 'start', turn: 1 });
    const page = viewer(session);
    session.append([{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }]);
    for (let n = 0; n < 5; n++) {
      const reply = `r${String(n)}`;
      session.append([{ kind: 'tool_call', callId: reply, name: 'read_file', arguments: { path: 'a.ts' }, reply }]);
      session.record({ t: 'usage', usage: { inputTokens: 100 + 20 * n, outputTokens: 5 } });
      session.append([{ kind: 'tool_result', callId: reply, summary: 'a.ts, 1 line' }]);
      expect(page.look()).toEqual(freshReport(kernel, session));
    }
    expect(page.wholes).toBe(0);
  });
});
